import type { GroupRole, GroupTeam } from '@sluice/contract'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import {
  type AnyPgColumn,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  uniqueIndex,
} from '../../platform/db/drizzle.ts'

export const organizations = pgTable('organizations', {
  ...recordColumns,
  name: text('name').notNull(),
  givenId: text('given_id').notNull().unique(),
  /** Longer retention period of the audit log, if the organization set one. */
  auditRetentionDays: integer('audit_retention_days'),
  deletion: jsonb('deletion').$type<Deletion>(),
  /** Time from which everything in it is deleted; null if no deletion is requested. */
  endsAt: timestampColumn('ends_at'),
})

/** Requested deletion of the organization. */
export type Deletion = { requestedAt: string; requestedBy: string }

export const users = pgTable('users', {
  ...recordColumns,
  email: text('email').notNull().unique(),
  fullName: text('full_name'),
  shortName: text('short_name'),
  globalRole: text('global_role').$type<'USER' | 'SUPERADMIN'>().notNull().default('USER'),
})

/**
 * How users sign in: with a password (`passwordHash` is argon2id in PHC format), or at an identity provider that
 * identifies the user by `subject`. A null `providerId` means the installation's provider.
 */
export const identities = pgTable(
  'identities',
  {
    ...recordColumns,
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text('type').$type<'EMAIL_PASSWORD' | 'SINGLE_SIGN_ON'>().notNull(),
    passwordHash: text('password_hash'),
    providerId: text('provider_id').references((): AnyPgColumn => identityProviders.id, { onDelete: 'cascade' }),
    issuer: text('issuer'),
    subject: text('subject'),
  },
  (table) => [
    uniqueIndex('identities_password').on(table.userId).where(sql`type = 'EMAIL_PASSWORD'`),
    uniqueIndex('identities_provider_subject').on(table.providerId, table.subject),
    uniqueIndex('identities_installation_subject').on(table.issuer, table.subject).where(sql`provider_id is null`),
    index('identities_user').on(table.userId),
    check(
      'identities_are_whole',
      sql`case type when 'EMAIL_PASSWORD' then password_hash is not null else issuer is not null and subject is not null end`,
    ),
  ],
)

/** Identity providers of organizations, at most one each. */
export const identityProviders = pgTable(
  'identity_providers',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    issuer: text('issuer').notNull(),
    clientId: text('client_id').notNull(),
    sealedClientSecret: text('sealed_client_secret').notNull(),
    groupsClaim: text('groups_claim').notNull(),
    groupRoles: jsonb('group_roles').$type<GroupRole[]>().notNull(),
    groupTeams: jsonb('group_teams').$type<GroupTeam[]>().notNull().default([]),
    /** Role of users in none of the mapped groups; without it, they cannot sign in. */
    defaultRole: text('default_role').$type<Role>(),
  },
  (table) => [uniqueIndex('identity_providers_organization').on(table.organizationId)],
)

/** The context includes the issuer, so that a secret cannot be sent to another one. */
export const sealedProviderSecrets = {
  column: identityProviders.sealedClientSecret,
  row: [identityProviders.id, identityProviders.issuer],
  purpose: 'identity providers',
} as const satisfies SealedColumn

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

/** Trusts by which ID tokens with matching claims sign in a service account. */
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
    /** Patterns for the subject and claims; see `service-account-trusts/machine.ts`. */
    subject: text('subject').notNull(),
    claims: jsonb('claims').$type<Record<string, string>>().notNull(),
    tokenLifetimeSeconds: integer('token_lifetime_seconds').notNull(),
  },
  (table) => [
    index('service_account_trusts_organization').on(table.organizationId, table.id),
    index('service_account_trusts_account').on(table.serviceAccountId),
  ],
)

/** API keys of memberships or service accounts (exactly one of them). Only SHA-256 hashes are stored. */
export const apiKeys = pgTable(
  'api_keys',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
    serviceAccountId: text('service_account_id').references(() => serviceAccounts.id, { onDelete: 'cascade' }),
    /** Trust for which the token was issued. Such tokens are not listed as keys. */
    trustId: text('trust_id').references(() => serviceAccountTrusts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** SHA-256 of the token, in hexadecimal. */
    tokenHash: text('token_hash').notNull().unique(),
    /** First characters of the token, for recognition. */
    tokenHint: text('token_hint').notNull(),
    expiresAt: timestampColumn('expires_at'),
    lastUsedAt: timestampColumn('last_used_at'),
    revokedAt: timestampColumn('revoked_at'),
  },
  (table) => [index('api_keys_organization').on(table.organizationId), index('api_keys_trust').on(table.trustId)],
)
