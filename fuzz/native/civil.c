// civil(i32 in -32768..32768) -> i32
// Year, month and day of a number of days since 1970: Howard Hinnant's algorithm, with divisions that round down.
#include <stdint.h>

int32_t civil(int32_t days) {
    int64_t z = (int64_t)days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    uint32_t doe = (uint32_t)(z - era * 146097);
    uint32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t year = (int64_t)yoe + era * 400;
    uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    uint32_t month_from_march = (5 * doy + 2) / 153;
    uint32_t day = doy - (153 * month_from_march + 2) / 5 + 1;
    uint32_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    return (int32_t)((year + (month <= 2)) * 10000 + month * 100 + day);
}
