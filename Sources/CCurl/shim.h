#pragma once
#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo take any number of arguments, which Swift does not import. */
static inline CURLcode georemind_curl_set_text(CURL *handle, CURLoption option, const char *text) {
  return curl_easy_setopt(handle, option, text);
}

static inline CURLcode georemind_curl_set_number(CURL *handle, CURLoption option, long number) {
  return curl_easy_setopt(handle, option, number);
}

static inline CURLcode georemind_curl_set_pointer(CURL *handle, CURLoption option, void *pointer) {
  return curl_easy_setopt(handle, option, pointer);
}

static inline CURLcode georemind_curl_set_writer(
    CURL *handle, size_t (*writer)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline long georemind_curl_response_code(CURL *handle) {
  long code = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
  return code;
}
