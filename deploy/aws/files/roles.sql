-- The role of the service, which owns nothing: it can change neither the schema nor the audit log. Its password is
-- that of the secret, so a new password takes effect with the next task. Tasks that start together wait for each other.
\set QUIET on
\getenv password SLUICE_PASSWORD
select pg_advisory_lock(4600) \g /dev/null
select 'create role sluice login' where not exists (select from pg_roles where rolname = 'sluice') \gexec
alter role sluice login password :'password';
