import type { ChannelFormat, ChannelKind } from '@sluice/contract'

/** What leads to a channel, and in which form, as a request gives it. */
export type Reach = {
  url?: string
  routingKey?: string
  recipients?: readonly string[]
  teamId?: string
  format?: ChannelFormat
  /** Null: none any more. */
  signingSecret?: string | null
}
type Field = keyof Reach
type Secret = Exclude<Field, 'recipients' | 'teamId' | 'format' | 'signingSecret'>

/** What is needed to reach a channel of each kind, what may be given beside, and which of it nobody is shown. */
const kinds = {
  WEBHOOK: { needs: ['url'], takes: ['format'] },
  SLACK: { needs: ['url'], takes: ['signingSecret'], secret: 'url' },
  TEAMS: { needs: ['url'], takes: [], secret: 'url' },
  EMAIL: { needs: ['recipients'], takes: [] },
  TEAM_MEMBERS: { needs: ['teamId'], takes: [] },
  PAGERDUTY: { needs: ['routingKey'], takes: ['url'], secret: 'routingKey' },
} as const satisfies Record<ChannelKind, { needs: Field[]; takes: Field[]; secret?: Secret }>

const fields = ['url', 'routingKey', 'recipients', 'teamId', 'format', 'signingSecret'] as const satisfies Field[]

/** https://developer.pagerduty.com/docs/send-alert-event */
const usualUrl: Partial<Record<ChannelKind, string>> = { PAGERDUTY: 'https://events.pagerduty.com/v2/enqueue' }

/** What is wrong with the way to a channel, each with its place in the body. */
export function reachFaults(kind: ChannelKind, given: Reach, { isNew }: { isNew: boolean }): string[] {
  const needs: readonly Field[] = kinds[kind].needs
  const takes: readonly Field[] = [...needs, ...kinds[kind].takes]
  return fields.flatMap((field) => {
    if (given[field] !== undefined && !takes.includes(field)) return [`$.data.${field}: expected none for ${kind}`]
    if (given[field] === undefined && isNew && needs.includes(field))
      return [`$.data.${field}: expected one for ${kind}`]
    return []
  })
}

/** The part of it that is kept secret, and the address that people may see. */
export function secretIn(kind: ChannelKind, given: Reach): string | undefined {
  const field = secretField(kind)
  return field && given[field]
}

/** Where it is sent to, of those kinds whose address is no secret. */
export const openUrl = (kind: ChannelKind, { url }: Reach): string | undefined =>
  secretField(kind) === 'url' ? undefined : (url ?? usualUrl[kind])

/** What was given, as the audit log may keep it. */
export function withoutSecret<T extends Reach>(kind: ChannelKind, given: T): T {
  const known = secretField(kind)
  const secrets = [...(known ? [known] : []), 'signingSecret' as const].filter(
    (field) => typeof given[field] === 'string',
  )
  return { ...given, ...Object.fromEntries(secrets.map((field) => [field, '(secret)'])) }
}

/** What leads to a channel and nobody is shown, of the kinds that have such a thing. */
export const secretField = (kind: ChannelKind): Secret | undefined => {
  const { secret } = kinds[kind] as { secret?: Secret }
  return secret
}
