/* YCSB's records and its workloads A and B for memcached and Redis, and every answer compared.
 *
 * Usage: ycsb memcached|redis PORT fill
 *        ycsb memcached|redis PORT CONNECTIONS REQUESTS UPDATES [AT_ONCE]
 *
 * 10,000 records of ten fields of 100 bytes. A read fetches a record; UPDATES is the share of requests that write:
 * memcached a record, Redis a field. Keys follow YCSB's Zipf law (0.99). Each connection has a thread of its own, which
 * sends AT_ONCE requests (1, as YCSB does), and waits for their answers. What a record holds follows from its key, so
 * an answer has one right value. Prints a line of JSON; ends with 1 at the first answer that is wrong or missing.
 */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 10000, FIELDS = 10, FIELD = 100, LONGEST = 2048, MOST_AT_ONCE = 100, PATIENCE_S = 20 };

/* Bytes to send, and the answer. In Redis' answers the fields have no order: `sum` of all bytes is compared. */
struct exchange {
    char *request, *answer;
    int sent, got;
    uint64_t sum;
};
static struct exchange reads[KEYS], writes[KEYS][FIELDS], fills[KEYS];
static double zipf[KEYS];
static int port, at_once = 1, redis;
static double updates;

struct user {
    pthread_t thread;
    uint64_t state;
    long batches;
    double *waits;
};

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "ycsb: %s\n", what);
    exit(1);
}

static uint64_t next(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double share(uint64_t *state) { return (double)(next(state) >> 11) * 0x1p-53; }

static struct exchange made(const char *request, int sent, const char *answer, int got) {
    struct exchange found = {malloc(sent), malloc(got), sent, got, 0};
    memcpy(found.request, request, sent);
    memcpy(found.answer, answer, got);
    for (int at = 0; at < got; at++) found.sum += (unsigned char)answer[at];
    return found;
}

static void make_memcached(int number, const char *key) {
    char value[FIELDS * FIELD + 1], request[LONGEST], answer[LONGEST];
    memset(value, 'a' + number % 26, FIELDS * FIELD);
    value[FIELDS * FIELD] = 0;
    int sent = sprintf(request, "get %s\r\n", key);
    int got = sprintf(answer, "VALUE %s 0 %d\r\n%s\r\nEND\r\n", key, FIELDS * FIELD, value);
    reads[number] = made(request, sent, answer, got);
    sent = sprintf(request, "set %s 0 0 %d\r\n%s\r\n", key, FIELDS * FIELD, value);
    fills[number] = made(request, sent, "STORED\r\n", 8);
    for (int field = 0; field < FIELDS; field++) writes[number][field] = fills[number];
}

static void make_redis(int number, const char *key) {
    char request[2 * LONGEST], answer[2 * LONGEST], value[FIELD + 1] = {0};
    int sent = sprintf(request, "*2\r\n$7\r\nHGETALL\r\n$%zu\r\n%s\r\n", strlen(key), key), got = sprintf(answer, "*%d\r\n", 2 * FIELDS);
    char fill[2 * LONGEST];
    int filled = sprintf(fill, "*%d\r\n$4\r\nHSET\r\n$%zu\r\n%s\r\n", 2 + 2 * FIELDS, strlen(key), key);
    for (int field = 0; field < FIELDS; field++) {
        char pair[LONGEST], write[LONGEST];
        memset(value, 'a' + (number + field) % 26, FIELD);
        sprintf(pair, "$6\r\nfield%d\r\n$%d\r\n%s\r\n", field, FIELD, value);
        got += sprintf(answer + got, "%s", pair);
        filled += sprintf(fill + filled, "%s", pair);
        int length = sprintf(write, "*4\r\n$4\r\nHSET\r\n$%zu\r\n%s\r\n%s", strlen(key), key, pair);
        writes[number][field] = made(write, length, ":0\r\n", 4);
    }
    reads[number] = made(request, sent, answer, got);
    fills[number] = made(fill, filled, ":10\r\n", 5);
}

static void make_all(void) {
    double sum = 0;
    for (int number = 0; number < KEYS; number++) {
        uint64_t state = number;
        char key[32];
        sprintf(key, "user%020llu", (unsigned long long)next(&state));
        (redis ? make_redis : make_memcached)(number, key);
        zipf[number] = sum += pow(number + 1, -0.99);
    }
    for (int number = 0; number < KEYS; number++) zipf[number] /= sum;
}

static int drawn(uint64_t *state) {
    double chance = share(state);
    int low = 0, high = KEYS - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (zipf[middle] < chance) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int opened(void) {
    int peer = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct timeval patience = {PATIENCE_S, 0};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(peer, (void *)&at, sizeof at)) fail("nobody listens");
    return peer;
}

static void ask(int peer, struct exchange **asked, int count) {
    static _Thread_local char bytes[MOST_AT_ONCE * LONGEST];
    int length = 0, expected = 0, got = 0;
    for (int at = 0; at < count; at++) {
        memcpy(bytes + length, asked[at]->request, asked[at]->sent);
        length += asked[at]->sent, expected += asked[at]->got;
    }
    for (int sent = 0, n; sent < length; sent += n)
        if ((n = send(peer, bytes + sent, length - sent, MSG_NOSIGNAL)) <= 0) fail("the server takes no request any more");
    while (got < expected) {
        int n = recv(peer, bytes + got, expected - got, 0);
        if (n <= 0) fail(n ? "an answer is missing" : "the server closed a connection");
        got += n;
    }
    for (int at = 0, from = 0; at < count; from += asked[at++]->got) {
        uint64_t sum = 0;
        for (int byte = 0; redis && byte < asked[at]->got; byte++) sum += (unsigned char)bytes[from + byte];
        if (redis ? sum != asked[at]->sum : memcmp(bytes + from, asked[at]->answer, asked[at]->got)) fail("an answer is wrong");
    }
}

static double now(void) {
    struct timespec found;
    clock_gettime(CLOCK_MONOTONIC, &found);
    return found.tv_sec + found.tv_nsec / 1e9;
}

static void *drive(void *given) {
    struct user *user = given;
    struct exchange *asked[MOST_AT_ONCE];
    int peer = opened();
    for (long batch = 0; batch < user->batches; batch++) {
        for (int at = 0; at < at_once; at++) {
            int key = drawn(&user->state);
            asked[at] = share(&user->state) < updates ? &writes[key][next(&user->state) % FIELDS] : &reads[key];
        }
        double begun = now();
        ask(peer, asked, at_once);
        user->waits[batch] = now() - begun;
    }
    close(peer);
    return NULL;
}

static int fill(void) {
    int peer = opened();
    for (int number = 0; number < KEYS; number++) ask(peer, &(struct exchange *){&fills[number]}, 1);
    close(peer);
    return 0;
}

int main(int count, char **words) {
    if (count != 4 && count != 6 && count != 7) fail("usage: ycsb memcached|redis PORT fill | CONNECTIONS REQUESTS UPDATES [AT_ONCE]");
    redis = !strcmp(words[1], "redis"), port = atoi(words[2]);
    make_all();
    if (count == 4) return fill();
    int connections = atoi(words[3]);
    if (count == 7) at_once = atoi(words[6]);
    if (connections < 1 || at_once < 1 || at_once > MOST_AT_ONCE) fail("too few or too many at once");
    long each = atol(words[4]) / connections / at_once;
    updates = atof(words[5]);
    struct user *users = calloc(connections, sizeof *users);
    double begun = now(), waited = 0;
    for (int at = 0; at < connections; at++) {
        users[at] = (struct user){.state = at + 1, .batches = each, .waits = calloc(each, sizeof(double))};
        pthread_create(&users[at].thread, NULL, drive, &users[at]);
    }
    for (int at = 0; at < connections; at++) {
        pthread_join(users[at].thread, NULL);
        for (long batch = 0; batch < each; batch++) waited += users[at].waits[batch];
    }
    double took = now() - begun, requests = (double)each * at_once * connections;
    printf("{\"requests\": %.0f, \"requests_per_s\": %.1f, \"response_ms\": %.5f}\n", requests, requests / took,
           1000 * waited / (each * connections));
    return 0;
}
