/* Three sides, and what triangle they make: 0 for none, 1 scalene, 2 isosceles, 3 equilateral. */
int triangle(int a, int b, int c) {
    if (a <= 0 || b <= 0 || c <= 0)
        return 0;
    if (a + b <= c || a + c <= b || b + c <= a)
        return 0;
    if (a == b && b == c)
        return 3;
    if (a == b || b == c || a == c)
        return 2;
    return 1;
}
