// What a C library does with files: every check that fails says where, and with which error number.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            printf("line %d: %s, errno %d\n", __LINE__, #condition, errno);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

#define FAILS(call, error) \
    CHECK((errno = 0, (long)(call) == -1) && errno == (error))

static int holds(const char *name, const char *expected) {
    char buffer[256] = {0};
    FILE *file = fopen(name, "r");
    if (!file) return 0;
    size_t length = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    return length == strlen(expected) && !memcmp(buffer, expected, length);
}

static void put(const char *name, const char *mode, const char *text) {
    FILE *file = fopen(name, mode);
    CHECK(file);
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

static void modes(void) {
    put("a.txt", "w", "first");
    CHECK(holds("a.txt", "first"));
    put("a.txt", "w", "2nd");
    CHECK(holds("a.txt", "2nd"));
    put("a.txt", "a", "+more");
    CHECK(holds("a.txt", "2nd+more"));
    put("a.txt", "r+", "3");
    CHECK(holds("a.txt", "3nd+more"));

    FILE *file = fopen("a.txt", "w+");
    CHECK(file);
    fputs("hello, world", file);
    rewind(file);
    char text[6] = {0};
    CHECK(fread(text, 1, 5, file) == 5 && !strcmp(text, "hello"));
    CHECK(ftell(file) == 5);
    fseek(file, -5, SEEK_END);
    CHECK(fgetc(file) == 'w');
    fclose(file);

    file = fopen("a.txt", "a+");
    fseek(file, 0, SEEK_SET);
    CHECK(fgetc(file) == 'h');
    fputs("!", file);
    fclose(file);
    CHECK(holds("a.txt", "hello, world!"));

    CHECK(!fopen("missing", "r") && errno == ENOENT);
    CHECK(!fopen("missing", "r+") && errno == ENOENT);
    CHECK(!fopen("a.txt", "wx") && errno == EEXIST);
}

static void given(void) {
    CHECK(holds("given/data", "abcdefgh"));
    put("given/data", "r+", "XY");
    CHECK(holds("given/data", "XYcdefgh"));
    put("given/data", "a", "ij");
    CHECK(holds("given/data", "XYcdefghij"));
    CHECK(truncate("given/data", 3) == 0);
    CHECK(holds("given/data", "XYc"));
    CHECK(truncate("given/data", 5) == 0);
    struct stat status;
    CHECK(stat("given/data", &status) == 0 && status.st_size == 5 && S_ISREG(status.st_mode));
    CHECK(unlink("given/data") == 0);
    CHECK(!holds("given/data", "XYc"));
    CHECK(rmdir("given") == 0);
    FAILS(stat("given", &status), ENOENT);
}

static void offsets(void) {
    int file = open("holes", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0);
    CHECK(lseek(file, 5000, SEEK_SET) == 5000);
    CHECK(read(file, &(char){0}, 1) == 0);
    CHECK(write(file, "x", 1) == 1);
    CHECK(lseek(file, 0, SEEK_END) == 5001);
    char byte = 1;
    CHECK(pread(file, &byte, 1, 4999) == 1 && byte == 0);
    CHECK(pread(file, &byte, 1, 5000) == 1 && byte == 'x');
    CHECK(pwrite(file, "yz", 2, 1023) == 2);
    CHECK(lseek(file, 0, SEEK_CUR) == 5001);
    char three[4] = {0};
    CHECK(pread(file, three, 3, 1022) == 3 && !memcmp(three, "\0yz", 3));
    CHECK(ftruncate(file, 1024) == 0);
    CHECK(ftruncate(file, 2048) == 0);
    CHECK(pread(file, three, 3, 1022) == 3 && !memcmp(three, "\0y\0", 3));
    CHECK(posix_fallocate(file, 2000, 100) == 0);
    struct stat status;
    CHECK(fstat(file, &status) == 0 && status.st_size == 2100);
    CHECK(fsync(file) == 0 && fdatasync(file) == 0);
    FAILS(lseek(file, -1, SEEK_SET), EINVAL);
    // A name that is taken away leaves the open file alone.
    CHECK(unlink("holes") == 0);
    CHECK(pread(file, &byte, 1, 1023) == 1 && byte == 'y');
    CHECK(write(file, "w", 1) == 1);
    CHECK(close(file) == 0);
    FAILS(open("holes", O_RDONLY), ENOENT);

    file = open("modes", O_WRONLY | O_CREAT | O_APPEND, 0600);
    FAILS(read(file, &byte, 1), EBADF);
    CHECK(write(file, "12", 2) == 2 && lseek(file, 0, SEEK_SET) == 0 && write(file, "3", 1) == 1);
    CHECK((fcntl(file, F_GETFL) & O_APPEND) != 0);
    close(file);
    CHECK(holds("modes", "123"));
    file = open("modes", O_RDONLY);
    FAILS(write(file, "4", 1), EBADF);
    FAILS(ftruncate(file, 0), EBADF);
    close(file);
    FAILS(close(file), EBADF);
    CHECK(unlink("modes") == 0);
}

static void directories(void) {
    CHECK(mkdir("dir", 0700) == 0);
    FAILS(mkdir("dir", 0700), EEXIST);
    FAILS(mkdir("none/dir", 0700), ENOENT);
    FAILS(mkdir("a.txt/dir", 0700), ENOTDIR);
    put("dir/one", "w", "1");
    put("dir/two", "w", "22");
    CHECK(mkdir("dir/sub/", 0700) == 0);
    FAILS(rmdir("dir"), ENOTEMPTY);
    FAILS(rmdir("a.txt"), ENOTDIR);
    FAILS(unlink("dir"), EISDIR);
    FAILS(open("dir", O_WRONLY), EISDIR);
    FAILS(open("dir", O_RDONLY | O_CREAT | O_EXCL, 0600), EEXIST);
    FAILS(open("a.txt", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open("a.txt/", O_RDONLY), ENOTDIR);
    FAILS(open("dir/one/x", O_RDONLY), ENOTDIR);
    FAILS(open("new/", O_WRONLY | O_CREAT, 0600), EISDIR);
    struct stat status;
    CHECK(stat("dir/../dir/./sub", &status) == 0 && S_ISDIR(status.st_mode));
    char link[8];
    FAILS(readlink("dir/one", link, sizeof link), EINVAL);
    FAILS(symlink("dir/one", "link"), ENOSYS);
    FAILS(chdir("none"), ENOENT);

    // In the order in which the entries were made.
    DIR *listing = opendir("dir");
    CHECK(listing);
    char names[64] = "";
    struct dirent *entry;
    while ((entry = readdir(listing))) {
        strcat(names, entry->d_name);
        strcat(names, entry->d_type == DT_DIR ? "/ " : " ");
    }
    CHECK(!strcmp(names, "./ ../ one two sub/ ") || !strcmp(names, "one two sub/ "));
    closedir(listing);

    CHECK(rename("dir/one", "dir/two") == 0);
    CHECK(holds("dir/two", "1"));
    FAILS(rename("dir/one", "dir/three"), ENOENT);
    FAILS(rename("dir/two", "dir/sub"), EISDIR);
    FAILS(rename("dir/sub", "dir/two"), ENOTDIR);
    FAILS(rename("dir", "dir/sub/inside"), EINVAL);
    CHECK(mkdir("other", 0700) == 0);
    FAILS(rename("other", "dir"), ENOTEMPTY);
    CHECK(rename("dir", "other") == 0);
    CHECK(holds("other/two", "1"));
    FAILS(stat("dir", &status), ENOENT);
    CHECK(rename("other/two", "two") == 0 && rename("two", "two") == 0);
    CHECK(rmdir("other/sub") == 0 && rmdir("other") == 0 && unlink("two") == 0);

    // A directory is emptied while it is listed.
    CHECK(mkdir("many", 0700) == 0);
    char name[32];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "many/entry-%d", i);
        put(name, "w", "");
    }
    int removed = 0;
    listing = opendir("many");
    while ((entry = readdir(listing))) {
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "many/%s", entry->d_name);
        CHECK(unlink(name) == 0);
        removed++;
    }
    closedir(listing);
    CHECK(removed == 300 && rmdir("many") == 0);
}

// A directory that is open stays usable when it and those above it are gone.
static void removed_directories(void) {
    CHECK(mkdir("outer", 0700) == 0 && mkdir("outer/inner", 0700) == 0);
    int inner = open("outer/inner", O_RDONLY | O_DIRECTORY);
    CHECK(inner >= 0);
    CHECK(rmdir("outer/inner") == 0 && rmdir("outer") == 0);
    FAILS(openat(inner, "file", O_WRONLY | O_CREAT, 0600), ENOENT);
    FAILS(mkdirat(inner, "dir", 0700), ENOENT);
    FAILS(renameat(AT_FDCWD, "a.txt", inner, "a.txt"), ENOENT);
    FAILS(openat(inner, "../a.txt", O_RDONLY), ENOTCAPABLE);
    put("takes the number of one of them", "w", "");
    DIR *listing = fdopendir(inner);
    CHECK(listing);
    for (struct dirent *entry; (entry = readdir(listing));) CHECK(entry->d_name[0] == '.');
    CHECK(closedir(listing) == 0);
    CHECK(unlink("takes the number of one of them") == 0);
}

static void limits(void) {
    static char path[5000];
    memset(path, 'x', 256);
    FAILS(open(path, O_RDONLY), ENAMETOOLONG);
    for (int i = 0; i < 4998; i++) path[i] = i % 2 ? '/' : 'x';
    FAILS(open(path, O_RDONLY), ENAMETOOLONG);

    int opened = 0, last;
    while ((last = open("a.txt", O_RDONLY)) >= 0) opened++;
    CHECK(errno == EMFILE && opened == 1020);
    for (int i = 4; i < 4 + opened; i++) CHECK(close(i) == 0);

    int file = open("large", O_RDWR | O_CREAT, 0600);
    off_t most = 1 << 26;
    FAILS(ftruncate(file, most + 1), ENOSPC);
    CHECK(lseek(file, most, SEEK_SET) == most);
    FAILS(write(file, "x", 1), ENOSPC);
    // The other files take some of it; what is left is written.
    CHECK(lseek(file, -64, SEEK_CUR) == most - 64);
    char some[256] = {0};
    ssize_t written = write(file, some, sizeof some);
    CHECK(written > 0 && written < 256);
    FAILS(write(file, some, sizeof some), ENOSPC);
    CHECK(close(file) == 0 && unlink("large") == 0);
    put("small", "w", "there is room again");
    CHECK(unlink("small") == 0);

    int made = 0;
    for (;; made++) {
        snprintf(path, sizeof path, "%d", made);
        file = open(path, O_WRONLY | O_CREAT, 0600);
        if (file < 0) break;
        close(file);
    }
    // One file was made before, but the given one and its directory are gone.
    CHECK(errno == ENOSPC && made == 4096 - 1 + 2);
    FAILS(mkdir("one more", 0700), ENOSPC);
    while (made > 0) {
        snprintf(path, sizeof path, "%d", --made);
        CHECK(unlink(path) == 0);
    }
    CHECK(mkdir("one more", 0700) == 0 && rmdir("one more") == 0);
}

static void waiting(void) {
    struct timespec before, after, pause = {3, 0};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
    CHECK(nanosleep(&pause, NULL) == 0);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
    CHECK(after.tv_sec - before.tv_sec == 3);
    struct pollfd ready = {.fd = 0, .events = POLLIN};
    CHECK(poll(&ready, 1, 1000) == 1 && (ready.revents & POLLIN));
    CHECK(getpid() > 0);
}

int main(void) {
    modes();
    given();
    offsets();
    directories();
    removed_directories();
    limits();
    waiting();
    puts("everything holds");
    return 0;
}
