/** How an action is said: a verb before the record's noun, or a whole phrase if the record adds nothing. */
type Phrase = { verb: string } | { whole: string }

/** Nouns of the records that actions change, by the first part of the action. */
const nouns: Readonly<Record<string, string>> = {
  'agent-resources': 'agent resource',
  'agent-tools': 'agent tool',
  'api-keys': 'API key',
  'approval-delegations': 'delegation of approvals',
  'approval-rules': 'approval rule',
  artifacts: 'artifact',
  'audit-events': 'audit log',
  certificates: 'certificate',
  'cloud-accounts': 'cloud account',
  'code-sources': 'repository',
  'default-value-definitions': 'key of default values',
  'default-values': 'default value',
  deployments: 'deployment',
  'device-sign-ins': 'sign-in of a device',
  domains: 'domain',
  environments: 'environment',
  'execution-assignments': 'assignment of steps',
  'execution-environments': 'execution environment',
  freezes: 'freeze',
  'githosta-installations': 'GitHub installation',
  'githostb-connections': 'GitLab connection',
  'githostb-instances': 'GitLab instance',
  holds: 'hold',
  'iac-states': 'state',
  'identity-providers': 'identity provider',
  invitations: 'invitation',
  memberships: 'member',
  'module-definitions': 'module',
  'module-instances': 'service',
  'module-versions': 'module version',
  'notification-channels': 'notification channel',
  'notification-deliveries': 'notification',
  organizations: 'organization',
  pipelines: 'pipeline',
  'pipeline-runs': 'pipeline run',
  'pipeline-step-executions': 'pipeline step',
  'pipeline-versions': 'pipeline version',
  policies: 'policy',
  'preview-environments': 'preview environment',
  'preview-templates': 'preview template',
  projects: 'project',
  'promotion-rules': 'promotion rule',
  rehearsals: 'rehearsal',
  'role-grants': 'role',
  runners: 'runner',
  'runner-tokens': 'runner token',
  'service-accounts': 'service account',
  'service-account-tokens': 'service account token',
  'service-account-trusts': 'trust of a service account',
  sessions: 'session',
  'sign-in-domains': 'sign-in domain',
  stacks: 'stack',
  'stack-workspaces': 'stack workspace',
  teams: 'team',
  'team-members': 'team',
  'watched-repositories': 'watched repository',
}

/** Verbs of the usual actions, by the last part of the action. */
const verbs: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrew their approval of',
  cancel: 'cancelled',
  supersede: 'superseded',
  check: 'checked',
  override: 'overrode',
  retry: 'retried',
  end: 'ended',
  warn: 'continued despite a warning from',
}

/** Actions whose phrase differs from the usual one. */
const phrases: Readonly<Record<string, Phrase>> = {
  'agent-resources.read': { verb: 'read' },
  'agent-tools.call': { verb: 'called' },
  'api-keys.delete': { verb: 'revoked' },
  'artifacts.create': { verb: 'published' },
  'artifacts.keep': { verb: 'changed the retention of' },
  'artifacts.remove': { verb: 'removed' },
  'audit-events.forget': { whole: 'removed audit events after their retention period' },
  'audit-events.keep': { whole: 'changed the retention period of the audit log' },
  'certificates.find': { verb: 'discovered' },
  'certificates.follow': { verb: 'updated the status of' },
  'cloud-accounts.check': { verb: 'checked the connection of' },
  'cloud-accounts.connect': { verb: 'connected' },
  'cloud-accounts.event-secret': { verb: 'created a secret for the events of' },
  'cloud-accounts.mark': { verb: 'changed the connection status of' },
  'code-sources.create': { verb: 'connected' },
  'code-sources.delete': { verb: 'disconnected' },
  'code-sources.webhook-secret': { verb: 'created a webhook secret for' },
  'deployments.continue': { verb: 'continued' },
  'deployments.create': { verb: 'started' },
  'deployments.redeploy': { whole: 'redeployed an earlier release' },
  'deployments.rollback': { whole: 'rolled back to an earlier release' },
  'deployments.turn-back': { verb: 'rolled back' },
  'environments.remove-network': { verb: 'removed the default network of' },
  'environments.set-hold-rule': { verb: 'changed the hold rule of' },
  'environments.set-network': { verb: 'set the default network of' },
  'favourites.update': { whole: 'changed their favorites' },
  'saved-views.update': { whole: 'changed their saved views' },
  'freezes.create': { verb: 'scheduled' },
  'githosta-installations.claim': { verb: 'connected' },
  'holds.create': { verb: 'placed' },
  'holds.release': { verb: 'lifted' },
  'iac-states.break-lock': { verb: 'broke the lock of' },
  'iac-states.download': { verb: 'downloaded' },
  'iac-states.restore': { verb: 'restored an earlier version of' },
  'inbox.update': { whole: 'marked their inbox as read' },
  'invitations.create': { verb: 'sent' },
  'invitations.delete': { verb: 'revoked' },
  'memberships.create': { verb: 'added' },
  'memberships.delete': { verb: 'removed' },
  'module-instances.apply': { verb: 'started an infrastructure run of' },
  'module-instances.import': { verb: 'imported' },
  'module-versions.create': { verb: 'published' },
  'notification-channels.disable': { verb: 'turned off' },
  'notification-channels.replay': { verb: 'resent notifications of' },
  'notification-channels.rotate-secret': { verb: 'rotated the secret of' },
  'notification-channels.test': { verb: 'sent a test notification to' },
  'notification-deliveries.resend': { verb: 'resent' },
  'notification-settings.disable': { whole: 'turned off their email notifications' },
  'notification-settings.update': { whole: 'changed their email notifications' },
  'organizations.delete': { verb: 'scheduled the deletion of' },
  'organizations.end': { verb: 'deleted' },
  'organizations.keep': { verb: 'cancelled the deletion of' },
  'pipeline-runs.create': { verb: 'started' },
  'pipeline-runs.skip': { whole: 'skipped a scheduled pipeline run' },
  'pipeline-versions.create': { verb: 'saved' },
  'policies.deny': { verb: 'was blocked by' },
  'preview-environments.extend': { verb: 'extended' },
  'price-list.update': { whole: 'changed the price list' },
  'projects.apply-files': { verb: 'applied files to' },
  'projects.order-environments': { verb: 'reordered the environments of' },
  'promotion-rules.release': { verb: 'promoted a release under' },
  'rehearsals.create': { verb: 'started' },
  'role-grants.create': { verb: 'granted' },
  'role-grants.delete': { verb: 'revoked' },
  'sessions.create': { whole: 'signed in' },
  'sessions.delete': { whole: 'ended a session' },
  'sign-in-domains.verify': { verb: 'verified' },
  'sign-in-policies.update': { whole: 'changed the sign-in policy' },
  'slack-accounts.link': { whole: 'linked their Slack account' },
  'slack-accounts.unlink': { whole: 'unlinked their Slack account' },
  'stacks.set-drift-schedule': { verb: 'changed the schedule of drift checks of' },
  'team-members.create': { verb: 'added a member to' },
  'team-members.delete': { verb: 'removed a member from' },
  'users.update': { whole: 'changed their profile' },
  'watched-repositories.apply': { verb: 'applied files of' },
  'watched-repositories.apply-files': { verb: 'applied files of' },
  'watched-repositories.find-drift': { verb: 'found drift in' },
  'watched-repositories.look': { verb: 'checked' },
}

export type ActionWords = { verb: string; noun?: string }

const splitAction = (action: string): [plural: string, verb: string] => {
  const at = action.indexOf('.')
  return [action.slice(0, at), action.slice(at + 1)]
}

/** Returns whether the action has words of its own, so that no fallback is needed. */
export const isKnownAction = (action: string): boolean => {
  const [plural, verb] = splitAction(action)
  const phrase = phrases[action]
  return phrase ? 'whole' in phrase || plural in nouns : plural in nouns && verb in verbs
}

/** Returns the words of an action. Unknown actions of later versions are said with their own words. */
export function wordsOf(action: string): ActionWords {
  const [plural, verb] = splitAction(action)
  const phrase = phrases[action]
  if (phrase && 'whole' in phrase) return { verb: phrase.whole }
  const noun = nouns[plural] ?? plural.replaceAll('-', ' ')
  return { verb: phrase?.verb ?? verbs[verb] ?? `${verb.replaceAll('-', ' ')}:`, noun }
}

/** Actions to choose from in the filter, by their words. */
export const knownActions = (): string[] => [
  ...new Set([
    ...Object.keys(phrases),
    ...Object.keys(nouns).flatMap((plural) => ['create', 'update', 'delete'].map((verb) => `${plural}.${verb}`)),
  ]),
]

/** Returns an action as it is listed in the filter, such as “Created project”. */
export function describeAction(action: string): string {
  const { verb, noun } = wordsOf(action)
  const words = noun === undefined ? verb : `${verb} ${noun}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}
