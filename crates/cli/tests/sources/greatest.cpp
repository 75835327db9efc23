// A C++ function in a namespace, a template, and overloads.
template <typename T> static T greater(T a, T b) { return a < b ? b : a; }

int greatest(const int *values, int count)
{
    int best = values[0];
    for (int i = 1; i < count; i++)
        best = greater(best, values[i]);
    return best;
}

namespace shapes {
int area(int width, int height) { return width * height; }
}

int twice(int x) { return 2 * x; }
double twice(double x) { return 2 * x; }
