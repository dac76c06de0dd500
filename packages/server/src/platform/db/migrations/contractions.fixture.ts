/** What the version before cannot live with in a migration: as a statement begins or contains it, and why. */
const contractions: [RegExp, string][] = [
  [/^drop table /, 'drops a table'],
  [/^drop (function|view|type|sequence) /, 'drops what statements may name'],
  [/^truncate /, 'empties a table'],
  [/^alter table .* drop column /, 'drops a column'],
  [/^alter (table|type|view|sequence) .* rename /, 'renames'],
  [/^alter table .* set schema /, 'renames'],
  [/^alter table .* alter (column )?\S+ (set data )?type /, 'changes the type of a column'],
  [/^alter table .* alter (column )?\S+ set not null/, 'has a column be given that was not'],
  [/^alter table .* alter (column )?\S+ drop default/, 'has a column be given that was not'],
]

/** A column, its type and what is said of it, up to the next action. */
const addedColumns = /\badd column (?:if not exists )?(\S+) ((?:\([^)]*\)|[^,])*)/g
const mustBeGiven = (column: string) => /\bnot null\b/.test(column) && !/\b(default|generated)\b/.test(column)

/** Rules that rows may break which the version before writes. */
const rules = [/^create unique index .*? on (?:only )?(\S+)/, /^alter table (?:only )?(\S+) add constraint/]

/** The step after a release that does not use it any more: see `lives-with.ts`. */
const declaration = /^-- contracts: not used since (\d+\.\d+\.\d+), which ends with \d{4}$/m

/**
 * What in a migration the version before could not live with, so that both cannot run beside each other while one
 * process after the other is replaced. What is declared is left out, where the release it names is one of `released`.
 */
export function contractionsIn(migration: string, released: readonly string[]): string[] {
  const chunks = migration.split('--> statement-breakpoint').map((text) => ({ text, statements: statementsOf(text) }))
  const all = chunks.flatMap(({ statements }) => statements)
  const isNew = newIn(all)
  return chunks
    .filter(({ text }) => !released.includes(declaration.exec(text)?.[1] ?? ''))
    .flatMap(({ statements }) => statements)
    .flatMap((one) => faultsOf(one, isNew).map((why) => `${why}: ${one.slice(0, 100)}`))
}

/** Whether a rule is about what the migration itself makes, which the version before does not know. */
function newIn(statements: readonly string[]): (table: string, rule: string) => boolean {
  const tables = statements.flatMap((one) => /^create table (?:if not exists )?(\S+)/.exec(one)?.[1] ?? [])
  const columns = statements.flatMap((one) => [...one.matchAll(addedColumns)].map(([, name = '']) => name))
  return (table, rule) => tables.includes(table) || columns.some((name) => rule.includes(name))
}

function faultsOf(statement: string, isNew: ReturnType<typeof newIn>): string[] {
  const known = contractions.filter(([looks]) => looks.test(statement)).map(([, why]) => why)
  const isAsked = [...statement.matchAll(addedColumns)].some(([, , column = '']) => mustBeGiven(column))
  const tables = rules.flatMap((looks) => looks.exec(statement)?.[1] ?? [])
  const isRuled = tables.some((table) => !isNew(table, statement))
  return [
    ...new Set(known),
    ...(isAsked ? ['adds a column that must be given'] : []),
    ...(isRuled ? ['adds a rule to rows that are there'] : []),
  ]
}

/** Statements in one line each, in small letters, without comments, texts and bodies of functions. */
const statementsOf = (chunk: string): string[] =>
  chunk
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((one) => one.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((one) => one !== '')
