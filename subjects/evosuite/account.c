/* A bank account with a pin, an overdraft limit and a lock, of the kind of the hand-written business classes of SF100 in EvoSuite's hybrid search
 * (Galeotti et al., 2013), section V. Ours.
 *
 * suite: account.api
 *
 * Goal: cover every branch. Three wrong pins in a row lock an account, and the code that unlocks it is a function of the pin that another call
 * chose; a transfer has to be taken back if the other account cannot take it; the last cent of the overdraft and the amount that wins are equalities
 * between the arguments of several calls.
 */
#include "subject.h"
#include "objects.h"

enum { ACTIVE, LOCKED };

enum { OK = 0, WINNER = 1, LAST_CENT = 2, BAD_AMOUNT = -1, IS_LOCKED = -2, TOO_MUCH = -3, WRONG_PIN = -4, SAME = -5, TAKEN_BACK = -6 };

struct account {
    int balance, overdraft, pin, failures, state;
};

EXPORT("account_new") struct account *account_new(int overdraft, int pin) {
    struct account *account = NEW(struct account);
    if (overdraft < 0) overdraft = 0;
    else if (overdraft > 1000000) overdraft = 1000000;
    account->overdraft = overdraft;
    account->pin = pin;
    return account;
}

static int pin_fits(struct account *account, int pin) {
    if (pin == account->pin) {
        account->failures = 0;
        return 1;
    }
    account->failures++;
    if (account->failures == 3) account->state = LOCKED;
    return 0;
}

EXPORT("account_deposit") int account_deposit(struct account *account, int amount) {
    if (amount <= 0) return BAD_AMOUNT;
    if (account->state == LOCKED) return IS_LOCKED;
    if (amount > 100000000 - account->balance) return TOO_MUCH;
    account->balance += amount;
    if (account->balance == 7777777) return WINNER;
    return OK;
}

EXPORT("account_withdraw") int account_withdraw(struct account *account, int amount, int pin) {
    if (account->state == LOCKED) return IS_LOCKED;
    if (!pin_fits(account, pin)) return WRONG_PIN;
    if (amount <= 0) return BAD_AMOUNT;
    if (amount > account->balance + account->overdraft) return TOO_MUCH;
    account->balance -= amount;
    if (account->overdraft > 0 && account->balance == -account->overdraft) return LAST_CENT;
    return OK;
}

EXPORT("account_transfer") int account_transfer(struct account *from, struct account *to, int amount, int pin) {
    if (from == to) return SAME;
    int result = account_withdraw(from, amount, pin);
    if (result < 0) return result;
    if (account_deposit(to, amount) < 0) {
        from->balance += amount;
        return TAKEN_BACK;
    }
    return result;
}

EXPORT("account_unlock") int account_unlock(struct account *account, int code) {
    if (account->state != LOCKED) return 0;
    if ((code ^ 0x00c0ffee) != account->pin) return 0;
    account->state = ACTIVE;
    account->failures = 0;
    return 1;
}

/* A year of interest, in percent. */
EXPORT("account_interest") int account_interest(struct account *account, double rate) {
    if (!(rate >= 0 && rate <= 25)) return BAD_AMOUNT;
    if (account->balance <= 0) return OK;
    double earned = account->balance * rate / 100;
    if (earned < 1) return OK;
    return account_deposit(account, (int)earned);
}

EXPORT("account_close") int account_close(struct account *account) {
    if (account->balance < 0) __builtin_trap();
    if (account->state == LOCKED && account->balance > 0) return IS_LOCKED;
    return account->balance;
}
