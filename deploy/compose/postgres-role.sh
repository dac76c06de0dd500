#!/bin/sh
# Once, on an empty database: the role that Sluice is. It owns its database and may make the roles that keep organizations apart.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 --set password="$SLUICE_PASSWORD" <<'SQL'
create role sluice login createrole password :'password';
create database sluice owner sluice;
SQL
