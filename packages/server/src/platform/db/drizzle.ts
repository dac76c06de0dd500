import { createRequire } from 'node:module'
import { storableJson, storableText } from './storable.ts'

// The only import of drizzle, through its CommonJS files. For each of its hundreds of ES modules, and each file that
// imports it, Node would parse its package.json with 179 kB of entry points. That took 0.7 s of processor time per
// start; this takes 0.1 s (Node 24.21, drizzle-orm 0.45.4, getPackageScopeConfig).
const require = createRequire(import.meta.url)
const orm: typeof import('drizzle-orm') = require('drizzle-orm')
const pgCore: typeof import('drizzle-orm/pg-core') = require('drizzle-orm/pg-core')
const migrator: typeof import('drizzle-orm/migrator') = require('drizzle-orm/migrator')
const postgres: typeof import('drizzle-orm/node-postgres') = require('drizzle-orm/node-postgres')
const postgresMigrator: typeof import('drizzle-orm/node-postgres/migrator') = require('drizzle-orm/node-postgres/migrator')

// For text of all tables, so that no external text is an error of the database.
pgCore.PgText.prototype.mapToDriverValue = storableText
pgCore.PgJsonb.prototype.mapToDriverValue = storableJson

export const {
  and,
  arrayOverlaps,
  asc,
  count,
  countDistinct,
  desc,
  eq,
  exists,
  getTableColumns,
  getTableName,
  gt,
  gte,
} = orm
export const { inArray, isNotNull, isNull, like, lt, lte, ne, not, notExists, notInArray, or, sql } = orm
export const { alias, bigint, boolean, index, integer, jsonb, PgDialect, pgTable, primaryKey, text, timestamp } = pgCore
export const { check, customType, uniqueIndex } = pgCore
export const { DrizzleQueryError } = orm
export const { readMigrationFiles } = migrator
export const { drizzle: drizzlePostgres, NodePgSession, NodePgTransaction } = postgres
export const { migrate: migratePostgres } = postgresMigrator
export type { Column, SQL, SQLChunk } from 'drizzle-orm'
export type { AnyPgColumn, PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core'
