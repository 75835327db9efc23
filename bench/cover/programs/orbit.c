/* Measurements of a satellite: four doubles and a flag byte, each checked against the others. */
#include <math.h>
#include <stdint.h>
#include <string.h>

int check_orbit(const unsigned char *data, uint32_t size) {
    double height, speed, angle, mass;
    if (size < 33) return -1;
    memcpy(&height, data, 8);
    memcpy(&speed, data + 8, 8);
    memcpy(&angle, data + 16, 8);
    memcpy(&mass, data + 24, 8);
    if (!(height == height) || !(speed == speed)) return -2;
    if (height < 160.0) return -3;
    if (height > 2000.0) {
        if (height > 35000.0 && height < 36000.0) return speed == 3.07 ? 1 : -4;
        return -5;
    }
    if (speed <= 6.5 || speed >= 8.0) return -6;
    if (angle < 0.0) return -7;
    if (angle > 180.0) return -8;
    double energy = speed * speed / 2.0 - 398600.0 / (6371.0 + height);
    if (energy > 0.0) return -9;
    if (fabs(energy + 29.5) < 0.5) {
        if (angle > 96.0 && angle < 99.0) return 2;
        if (angle == 90.0) return 3;
        return 4;
    }
    if (mass != floor(mass)) return -10;
    if (mass < 1.0 || mass > 10000.0) return -11;
    return data[32] == 0x7f ? 5 : 6;
}
