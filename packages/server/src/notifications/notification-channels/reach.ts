import type { ChannelFormat, ChannelKind } from '@sluice/contract'

/** Address, credentials and format of a channel, as in a request. */
export type ChannelAddress = {
  url?: string
  routingKey?: string
  recipients?: readonly string[]
  teamId?: string
  format?: ChannelFormat
  /** Signing secret of a Slack app; null removes it. */
  signingSecret?: string | null
}
type Field = keyof ChannelAddress
type Secret = Exclude<Field, 'recipients' | 'teamId' | 'format' | 'signingSecret'>

/** Required, optional and secret fields of each channel type. */
const kinds = {
  WEBHOOK: { needs: ['url'], takes: ['format'] },
  SLACK: { needs: ['url'], takes: ['signingSecret'], secret: 'url' },
  TEAMS: { needs: ['url'], takes: [], secret: 'url' },
  EMAIL: { needs: ['recipients'], takes: [] },
  TEAM_MEMBERS: { needs: ['teamId'], takes: [] },
  PAGERDUTY: { needs: ['routingKey'], takes: ['url'], secret: 'routingKey' },
} as const satisfies Record<ChannelKind, { needs: Field[]; takes: Field[]; secret?: Secret }>

const fields = ['url', 'routingKey', 'recipients', 'teamId', 'format', 'signingSecret'] as const satisfies Field[]

/** Default addresses: https://developer.pagerduty.com/docs/send-alert-event */
const defaultUrl: Partial<Record<ChannelKind, string>> = { PAGERDUTY: 'https://events.pagerduty.com/v2/enqueue' }

/** Returns errors in a channel's address fields, with their places in the body. */
export function channelAddressFaults(
  kind: ChannelKind,
  given: ChannelAddress,
  { isNew }: { isNew: boolean },
): string[] {
  const needs: readonly Field[] = kinds[kind].needs
  const takes: readonly Field[] = [...needs, ...kinds[kind].takes]
  return fields.flatMap((field) => {
    if (given[field] !== undefined && !takes.includes(field)) return [`$.data.${field}: expected none for ${kind}`]
    if (given[field] === undefined && isNew && needs.includes(field))
      return [`$.data.${field}: expected one for ${kind}`]
    return []
  })
}

/** Returns the secret field's value, such as a secret URL. */
export function secretIn(kind: ChannelKind, given: ChannelAddress): string | undefined {
  const field = secretField(kind)
  return field && given[field]
}

/** Returns the URL if it is not secret for this channel type. */
export const openUrl = (kind: ChannelKind, { url }: ChannelAddress): string | undefined =>
  secretField(kind) === 'url' ? undefined : (url ?? defaultUrl[kind])

/** Removes secrets for the audit log. */
export function withoutSecret<T extends ChannelAddress>(kind: ChannelKind, given: T): T {
  const known = secretField(kind)
  const secrets = [...(known ? [known] : []), 'signingSecret' as const].filter(
    (field) => typeof given[field] === 'string',
  )
  return { ...given, ...Object.fromEntries(secrets.map((field) => [field, '(secret)'])) }
}

/** Returns the name of the secret field, if the channel type has one. */
export const secretField = (kind: ChannelKind): Secret | undefined => {
  const { secret } = kinds[kind] as { secret?: Secret }
  return secret
}
