#!/usr/bin/env bash
# Generate the secrets that infra/compose.yaml reads: infra/.env, readable by its owner alone.
# Never replaces one: the database and the store know the passwords they were started with.
#   bash infra/make_env.sh [FILE]
set -euo pipefail
file=${1:-$(dirname "$0")/.env}
umask 077
set -o noclobber

random() { # random BYTES, in hexadecimal: such a value needs no quotes in any file or address
  od -An -tx1 -N"$1" /dev/urandom | tr -d ' \n'
}

[ ! -e "$file" ] || { echo "$file is there already; remove it to have other secrets" >&2; exit 1; }
cat > "$file" <<END
POSTGRES_PASSWORD=$(random 24)
PREFECT_AUTH=hotfixr:$(random 24)
S3_ACCESS_KEY=$(random 10)
S3_SECRET_KEY=$(random 20)
S3_JWT_WRITE=$(random 20)
S3_JWT_READ=$(random 20)
S3_JWT_FILER_WRITE=$(random 20)
S3_JWT_FILER_READ=$(random 20)
# Where a failed run is reported; the address is a secret as well. Empty: nowhere.
HOTFIXR_NOTIFY_URL=
END
echo "wrote $file; the UI asks for the value of PREFECT_AUTH in it"
