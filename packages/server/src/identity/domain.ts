import { findTxtRecords } from '@sluice/outbound/dns'
import { createOutboundFetch } from '@sluice/outbound/fetch'
import { createOutbound } from '@sluice/outbound/send'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/settings.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import { type Domain, extensionPoint, operationParts, part } from '../platform/domain.ts'
import { serveApiKeys } from './api-keys/routes.ts'
import { createSignHead, startExportingHeads } from './audit-events/heads.ts'
import { deleteExpiredAuditEvents } from './audit-events/retention.ts'
import { serveAuditEvents } from './audit-events/routes.ts'
import { serveAuth } from './auth/routes.ts'
import type { OnSignIn } from './auth/sign-in.ts'
import { serveDeviceSignIns } from './device-sign-ins/routes.ts'
import { deleteExpiredDeviceSignIns } from './device-sign-ins/store.ts'
import { createKeysOf } from './id-tokens/issuer-keys.ts'
import { serveIdentityProviders } from './identity-providers/routes.ts'
import { serveInvitations } from './invitations/routes.ts'
import { type LimitParts, serveLimits } from './limits/routes.ts'
import { serveMemberships } from './memberships/routes.ts'
import { type FindBlockers, startDeletions } from './organizations/end.ts'
import { serveOrganizations } from './organizations/routes.ts'
import { identityRecords } from './records.ts'
import { serveServiceAccountTrusts } from './service-account-trusts/routes.ts'
import { serveServiceAccounts } from './service-accounts/routes.ts'
import { serveSessions } from './sessions/routes.ts'
import { type FindTexts, serveSignInDomains } from './sign-in-domains/routes.ts'
import { serveSignInPolicies } from './sign-in-policies/routes.ts'
import { createClientOf } from './single-sign-on/client.ts'
import { installationProviderOf } from './single-sign-on/installation.ts'
import { serveSingleSignOn } from './single-sign-on/routes.ts'
import { deleteExpiredSpentTokens } from './single-sign-on/store.ts'
import { serveSlackAccounts } from './slack-accounts/routes.ts'
import { serveTeams } from './teams/routes.ts'
import { serveUsers } from './users/routes.ts'

type UsageCounts = LimitParts['countUsed']

/** Functions that count usage, by the name of the limit. */
export const usageCounts = extensionPoint<Partial<UsageCounts>>('usage counts')
export const organizationDependents = extensionPoint<FindBlockers>('dependents of an organization')

export const issuersOf = part(({ config }) => openIssuers(config))
export const findTextsOf = part<FindTexts>(() => findTxtRecords)

export const identity: Domain = {
  records: identityRecords,
  serve(app, platform) {
    const { config, keys, database } = platform
    const { db } = database
    const onSignIn: OnSignIn = (way, result) => app.metrics.signIns.inc({ way, result })
    const parts = {
      ...operationParts(platform),
      ...issuersOf(platform),
      onSignIn,
      registration: config.registration,
      auditRetentionDays: config.auditRetentionDays,
      signInNote: config.signInNote,
      findBusy: organizationDependents.one(platform),
      countUsed: Object.assign({}, ...usageCounts.all(platform)) as UsageCounts,
      signHead: createSignHead(keys),
      slackLinkSecrets: keys.secretsFor('slack links'),
      identitySeal: createSeal(keys.secretsFor('identity providers')),
      attemptSeal: createSeal(keys.secretsFor('sign-ins')),
      installationProvider: installationProviderOf(db, config),
      findTexts: findTextsOf(platform),
    }
    serveAuth(app, { ...parts, db })
    serveDeviceSignIns(app, { ...parts, db })
    serveOrganizations(app, { ...parts, db })
    serveLimits(app, parts)
    serveUsers(app, { db })
    serveMemberships(app)
    serveInvitations(app, { ...parts, db })
    serveServiceAccounts(app)
    serveServiceAccountTrusts(app, { ...parts, db })
    serveSlackAccounts(app, parts)
    serveTeams(app)
    serveApiKeys(app, parts)
    serveSessions(app)
    serveIdentityProviders(app, parts)
    serveSignInDomains(app, parts)
    serveSignInPolicies(app, { db })
    serveSingleSignOn(app, { ...parts, db })
    serveAuditEvents(app, parts)
  },
  work(platform) {
    const { database, keys, archive, log } = platform
    const { db } = database
    const clock = platform.clock.now
    const signHead = createSignHead(keys)
    return {
      tasks: [
        () => startDeletions({ db, clock, log, findBusy: organizationDependents.one(platform) }),
        () => startExportingHeads({ db, signHead, archive, clock, log }),
      ],
    }
  },
  forget: ({ auditRetentionDays }) => [
    deleteExpiredSpentTokens,
    deleteExpiredDeviceSignIns,
    deleteExpiredAuditEvents(auditRetentionDays),
  ],
}

/**
 * Creates the client for token issuers. Organizations may configure any issuer on the internet; the operator's may be
 * internal.
 */
function openIssuers({ outboundAllow = [], oidcIssuer }: Config) {
  const clock = systemClock.now
  const quick = { timeoutMs: 10_000 }
  const own = oidcIssuer === undefined ? [] : [new URL(oidcIssuer).hostname]
  const guarded = createOutboundFetch(createOutbound(outboundAllow, quick))
  const operator = createOutboundFetch(createOutbound([...outboundAllow, ...own], quick))
  return {
    keysOf: createKeysOf({ fetch: guarded, clock }),
    operatorKeysOf: createKeysOf({ fetch: operator, clock }),
    clientOf: createClientOf({ ways: { guarded, operator }, clock }),
  }
}
