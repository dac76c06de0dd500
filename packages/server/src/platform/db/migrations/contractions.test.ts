import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { contractionsIn } from './contractions.fixture.ts'

const root = fileURLToPath(new URL('../../../../../..', import.meta.url))
const released = Array.from(
  readFileSync(join(root, 'CHANGELOG.md'), 'utf8').matchAll(/^## (\d+\.\d+\.\d+) - /gm),
  ([, version = '']) => version,
)
/**
 * First migration that must keep the previous version running. Earlier ones were applied while everything was stopped.
 */
const from = 32

test('migrations leave what the version before needs, or say since which release nothing does', () => {
  const files = globSync('packages/server/migrations/*.sql', { cwd: root })
  const later = files.filter((file) => Number.parseInt(basename(file), 10) >= from).toSorted()
  const found = later.flatMap((file) =>
    contractionsIn(readFileSync(join(root, file), 'utf8'), released).map((fault) => `${basename(file)} ${fault}`),
  )
  expect(found).toEqual([])
})

test('the generator of migrations has the snapshot of the newest schema, and no older one', () => {
  const snapshots = globSync('packages/server/migrations/meta/*_snapshot.json', { cwd: root }).map((file) =>
    basename(file),
  )
  const newest = globSync('packages/server/migrations/[0-9]*.sql', { cwd: root })
    .map((file) => basename(file))
    .toSorted()
    .at(-1)
  const remedy = 'delete the older snapshots: `drizzle-kit generate` reads the newest alone'
  expect(snapshots, remedy).toEqual([`${newest?.slice(0, 4)}_snapshot.json`])
})

describe('the version before cannot live with', () => {
  test(
    'with every kind of contraction',
    everyCase(
      [
        ['a table that is gone', 'DROP TABLE "holds";'],
        ['a table that is gone, if it is there', 'drop table if exists holds cascade'],
        ['a column that is gone', 'ALTER TABLE "a" ADD COLUMN "b" text, DROP COLUMN "c";'],
        ['another name of a column', 'ALTER TABLE "a" RENAME COLUMN "b" TO "c"'],
        ['another name of a table', 'ALTER TABLE "a"\n  RENAME TO "b"'],
        ['another type', 'ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE bigint'],
        ['another type, in fewer words', 'ALTER TABLE a ALTER b TYPE bigint'],
        ['a column that must be given from now on', 'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL;'],
        ['a default that is gone', 'ALTER TABLE "a" ALTER COLUMN "b" DROP DEFAULT;'],
        ['a new column that must be given', 'ALTER TABLE "a" ADD COLUMN "b" numeric(10, 2) NOT NULL;'],
        ['one beside another', "ALTER TABLE a ADD COLUMN b text DEFAULT 'x' NOT NULL, ADD COLUMN c text NOT NULL"],
        ['a default that is only in a comment', 'ALTER TABLE a ADD COLUMN b text NOT NULL -- default later'],
        ['a function that is gone', 'DROP FUNCTION hidden_places()'],
        ['no two rows alike', 'CREATE UNIQUE INDEX "u" ON "a" USING btree ("b");'],
        ['a new rule', 'ALTER TABLE "a" ADD CONSTRAINT "c" CHECK (b > 0)'],
        ['an empty table', 'TRUNCATE changes'],
      ],
      (_, statement) => {
        expect(contractionsIn(`SELECT 1;--> statement-breakpoint\n${statement}`, [])).toHaveLength(1)
      },
    ),
  )
})

describe('the version before can live with', () => {
  test(
    'with every kind of expansion',
    everyCase(
      [
        ['a new table, with its rules', 'CREATE TABLE "a" ("b" text NOT NULL);CREATE UNIQUE INDEX "u" ON "a" ("b");'],
        [
          'a foreign key of it',
          'CREATE TABLE "a" ("b" text);ALTER TABLE "a" ADD CONSTRAINT "f" FOREIGN KEY ("b") REFERENCES "c"("id")',
        ],
        ['a column that may be left out', 'ALTER TABLE "a" ADD COLUMN "b" text;'],
        ['a column with a default', 'ALTER TABLE "a" ADD COLUMN "b" integer DEFAULT 0 NOT NULL;'],
        [
          'a rule about a new column',
          'ALTER TABLE "a" ADD COLUMN "b" text;CREATE UNIQUE INDEX "u" ON "a" USING btree ("b")',
        ],
        ['fewer rules', 'ALTER TABLE "a" ALTER COLUMN "b" DROP NOT NULL;ALTER TABLE "a" DROP CONSTRAINT "c"'],
        ['another index', 'DROP INDEX "i";CREATE INDEX "i" ON "a" ("b", "c")'],
        [
          'a function that does more',
          'CREATE OR REPLACE FUNCTION f() RETURNS void AS $$ begin drop table t; end $$ LANGUAGE plpgsql',
        ],
        ['words in a comment or a text', "-- drop table a;\nINSERT INTO a VALUES ('; drop table b;')"],
      ],
      (_, statements) => {
        expect(contractionsIn(statements, [])).toEqual([])
      },
    ),
  )
})

test('a step after a release that does not use it any more is declared, and that release must be out', () => {
  const statements =
    'DROP TABLE "a";--> statement-breakpoint\n-- contracts: not used since 0.3.0, which ends with 0081\nDROP TABLE "b";'
  expect(contractionsIn(statements, ['0.2.0'])).toHaveLength(2)
  expect(contractionsIn(statements, ['0.3.0', '0.2.0'])).toEqual(['drops a table: drop table "a"'])
})
