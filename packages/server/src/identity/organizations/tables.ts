import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, integer, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

export const organizations = pgTable('organizations', {
  ...recordColumns,
  name: text('name').notNull(),
  givenId: text('given_id').notNull().unique(),
  /** Where it wants its audit log kept longer than the installation does. */
  auditRetentionDays: integer('audit_retention_days'),
})

export const users = pgTable('users', {
  ...recordColumns,
  email: text('email').notNull().unique(),
  fullName: text('full_name'),
  shortName: text('short_name'),
  globalRole: text('global_role').$type<'USER' | 'SUPERADMIN'>().notNull().default('USER'),
})

/** How a user signs in. `passwordHash` is an argon2id string in PHC format. */
export const identities = pgTable(
  'identities',
  {
    ...recordColumns,
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text('type').$type<'EMAIL_PASSWORD'>().notNull(),
    passwordHash: text('password_hash').notNull(),
  },
  (table) => [uniqueIndex('identities_user_type').on(table.userId, table.type)],
)

export type Role = 'OWNER' | 'ADMIN' | 'DEVELOPER' | 'VIEWER'

export const memberships = pgTable(
  'memberships',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').$type<Role>().notNull(),
  },
  (table) => [
    uniqueIndex('memberships_organization_user').on(table.organizationId, table.userId),
    index('memberships_user').on(table.userId),
  ],
)

export const serviceAccounts = pgTable(
  'service_accounts',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    role: text('role').$type<Role>().notNull(),
  },
  (table) => [uniqueIndex('service_accounts_organization_name').on(table.organizationId, table.name)],
)

/** Whose signed tokens sign a service account in, where they say what is asked here. */
export const serviceAccountTrusts = pgTable(
  'service_account_trusts',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    serviceAccountId: text('service_account_id')
      .notNull()
      .references(() => serviceAccounts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    issuer: text('issuer').notNull(),
    audience: text('audience').notNull(),
    /** Patterns, as those of the claims: `service-account-trusts/machine.ts`. */
    subject: text('subject').notNull(),
    claims: jsonb('claims').$type<Record<string, string>>().notNull(),
    tokenLifetimeSeconds: integer('token_lifetime_seconds').notNull(),
  },
  (table) => [
    index('service_account_trusts_organization').on(table.organizationId, table.id),
    index('service_account_trusts_account').on(table.serviceAccountId),
  ],
)

/** A bearer token of a membership or of a service account (exactly one of them). Only its SHA-256 is kept. */
export const apiKeys = pgTable(
  'api_keys',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
    serviceAccountId: text('service_account_id').references(() => serviceAccounts.id, { onDelete: 'cascade' }),
    /** What it was given for, where that is a token of an issuer: then it is no key that people see. */
    trustId: text('trust_id').references(() => serviceAccountTrusts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** SHA-256 of the token, hexadecimal. */
    tokenHash: text('token_hash').notNull().unique(),
    /** The first characters of the token, so that a person can tell keys apart. */
    tokenHint: text('token_hint').notNull(),
    expiresAt: moment('expires_at'),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [index('api_keys_organization').on(table.organizationId), index('api_keys_trust').on(table.trustId)],
)
