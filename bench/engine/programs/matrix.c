// Product of dense matrices of doubles: float arithmetic with regular memory access.
#define N 120
static double a[N][N], b[N][N], c[N][N];

__attribute__((export_name("run"))) int run(int rounds) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j * 3) % 11 - 5;
            b[i][j] = (i * 5 + j * 9) % 13 - 6;
        }
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
        for (int i = 0; i < N; i++) a[i][i] = c[i][(i + r) % N] / 100;
    }
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += c[i][j];
    return (int)sum;
}
