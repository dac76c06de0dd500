#!/bin/sh
# Once, on an empty database: the role that owns the tables and may make those that keep organizations apart, for `sluice migrate`;
# and the role that the service is, which owns nothing and so can change neither the schema nor the audit log.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 --set password="$SLUICE_PASSWORD" --set migration="$SLUICE_MIGRATION_PASSWORD" <<'SQL'
create role sluice_owner login createrole password :'migration';
create role sluice login password :'password';
create database sluice owner sluice_owner;
SQL
