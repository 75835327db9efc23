/* Small matrices of integers, of the kind of FastFourierTransformer and of the array classes of the Roops benchmarks in EvoSuite's hybrid search
 * (Galeotti et al., 2013), Tables II and IV. Ours.
 *
 * suite: matrix.api
 *
 * Goal: cover every branch. Indices are inputs, sizes have to fit each other, and that a matrix is symmetric, an identity, singular or a magic square
 * are equations over the elements that many calls have set.
 */
#include "subject.h"
#include "objects.h"

#define MOST 3

struct matrix {
    int rows, columns;
    int at[MOST][MOST];
};

EXPORT("matrix_new") struct matrix *matrix_new(int rows, int columns) {
    if (rows < 1 || rows > MOST || columns < 1 || columns > MOST) __builtin_trap();
    struct matrix *matrix = NEW(struct matrix);
    matrix->rows = rows;
    matrix->columns = columns;
    return matrix;
}

EXPORT("matrix_of") struct matrix *matrix_of(const int *elements, int n) {
    struct matrix *matrix = matrix_new(n, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) matrix->at[i][j] = elements[i * n + j];
    }
    return matrix;
}

EXPORT("matrix_set") int matrix_set(struct matrix *matrix, int row, int column, int value) {
    if (row < 0 || row >= matrix->rows) return -1;
    if (column < 0 || column >= matrix->columns) return -2;
    if (matrix->at[row][column] == value) return 0;
    matrix->at[row][column] = value;
    return 1;
}

EXPORT("matrix_multiply") struct matrix *matrix_multiply(const struct matrix *a, const struct matrix *b) {
    if (a->columns != b->rows) __builtin_trap();
    struct matrix *product = matrix_new(a->rows, b->columns);
    for (int i = 0; i < a->rows; i++) {
        for (int j = 0; j < b->columns; j++) {
            for (int k = 0; k < a->columns; k++) product->at[i][j] += a->at[i][k] * b->at[k][j];
        }
    }
    return product;
}

EXPORT("matrix_transpose") struct matrix *matrix_transpose(const struct matrix *a) {
    struct matrix *result = matrix_new(a->columns, a->rows);
    for (int i = 0; i < a->rows; i++) {
        for (int j = 0; j < a->columns; j++) result->at[j][i] = a->at[i][j];
    }
    return result;
}

static int determinant(const struct matrix *a) {
    if (a->rows == 1) return a->at[0][0];
    if (a->rows == 2) return a->at[0][0] * a->at[1][1] - a->at[0][1] * a->at[1][0];
    int sum = 0;
    for (int j = 0; j < 3; j++) {
        int k = (j + 1) % 3, l = (j + 2) % 3;
        sum += a->at[0][j] * (a->at[1][k] * a->at[2][l] - a->at[1][l] * a->at[2][k]);
    }
    return sum;
}

EXPORT("matrix_invertible") int matrix_invertible(const struct matrix *a) {
    if (a->rows != a->columns) return -1;
    int d = determinant(a);
    if (d == 0) return 0;
    if (d == 1 || d == -1) return 2; /* in integers */
    return 1;
}

EXPORT("matrix_shape") int matrix_shape(const struct matrix *a) {
    if (a->rows != a->columns) return 0;
    int identity = 1;
    for (int i = 0; i < a->rows; i++) {
        for (int j = 0; j < i; j++) {
            if (a->at[i][j] != a->at[j][i]) return 1;
            if (a->at[i][j] != 0) identity = 0;
        }
        if (a->at[i][i] != 1) identity = 0;
    }
    if (identity) return 3;
    return 2; /* symmetric */
}

/* Rows, columns and diagonals of a square of three have one sum, and it is not zero. */
EXPORT("matrix_magic") int matrix_magic(const struct matrix *a) {
    if (a->rows != 3 || a->columns != 3) return 0;
    int sum = a->at[0][0] + a->at[1][1] + a->at[2][2];
    if (sum == 0) return 0;
    if (a->at[0][2] + a->at[1][1] + a->at[2][0] != sum) return 1;
    for (int i = 0; i < 3; i++) {
        if (a->at[i][0] + a->at[i][1] + a->at[i][2] != sum) return 2;
        if (a->at[0][i] + a->at[1][i] + a->at[2][i] != sum) return 3;
    }
    if (sum == 15 && a->at[0][0] == 2) return 5; /* the one of the tortoise */
    return 4;
}
