#include "base/hash.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"

struct mm_hash {
	EVP_MD_CTX *context;
};

static void *allocate(size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	return size ? mm_realloc(NULL, size, 1) : NULL;
}

static void *reallocate(void *old, size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	if (size)
		return mm_realloc(old, size, 1);
	free(old);
	return NULL;
}

static void release(void *memory, const char *file, int line)
{
	(void)file;
	(void)line;
	free(memory);
}

void mm_hash_begin(void)
{
	(void)CRYPTO_set_mem_functions(allocate, reallocate, release);
}

struct mm_hash *mm_hash_new(void)
{
	struct mm_hash *hash = mm_alloc(sizeof *hash);
	hash->context = EVP_MD_CTX_new();
	if (!hash->context || EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) != 1)
		abort(); /* libcrypto without SHA-256: nothing of ours could be trusted */
	return hash;
}

void mm_hash_add(struct mm_hash *hash, const void *bytes, size_t length)
{
	if (EVP_DigestUpdate(hash->context, bytes, length) != 1)
		abort();
}

void mm_hash_add_text(struct mm_hash *hash, const char *text)
{
	mm_hash_add(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

void mm_hash_finish(struct mm_hash *hash, char hex[MM_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned length = 0;
	if (EVP_DigestFinal_ex(hash->context, digest, &length) != 1)
		abort();
	for (size_t i = 0; i < 32; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[64] = '\0';
	EVP_MD_CTX_free(hash->context);
	free(hash);
}

int mm_hash_file(const char *path, char hex[MM_SHA256_HEX], struct mm_error *err)
{
	int fd, code = mm_fs_open_input(path, &fd, err);
	if (code)
		return code;
	enum { CHUNK = 1 << 18 };
	char *chunk = mm_alloc(CHUNK);
	struct mm_hash *hash = mm_hash_new();
	ssize_t got;
	while ((got = read(fd, chunk, CHUNK)) > 0)
		mm_hash_add(hash, chunk, (size_t)got);
	if (got < 0)
		code = mm_error_errno(err, "cannot read '%s'", path);
	mm_hash_finish(hash, hex);
	free(chunk);
	close(fd);
	return code;
}
