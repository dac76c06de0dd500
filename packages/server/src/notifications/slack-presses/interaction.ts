import { messageBounds, parseBoundedJson } from '@sluice/contract/bounded-json'
import type { SlackPerson } from '../../identity/slack-accounts/store.ts'
import { type ChoiceId, isChoiceId } from '../notification-deliveries/messages/requested-decision.ts'

/** Press of a button in a Slack message. */
export type Press = {
  by: SlackPerson
  choice: ChoiceId
  /** Delivery whose message contains the button. */
  deliveryId: string
  /** URL at which Slack accepts replies for half an hour. */
  responseUrl: string
}

/**
 * Parses a Slack interaction. Returns undefined for anything but Sluice's buttons.
 * https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, read 2026-11-26
 */
export function pressIn(form: Buffer): Press | undefined {
  const payload = jsonIn(new URLSearchParams(form.toString('utf8')).get('payload') ?? '')
  if (textAt(payload, 'type') !== 'block_actions') return undefined
  const [user, team] = [at(payload, 'user'), at(payload, 'team')]
  const action = at(at(payload, 'actions'), '0')
  // In a shared channel, users of another company have their own workspace.
  const slackTeam = textAt(user, 'team_id') ?? textAt(team, 'id')
  const slackUser = textAt(user, 'id')
  const choice = textAt(action, 'action_id')
  const deliveryId = textAt(action, 'value')
  const responseUrl = textAt(payload, 'response_url')
  if (slackTeam === undefined || slackUser === undefined || deliveryId === undefined) return undefined
  if (responseUrl === undefined || !isChoiceId(choice)) return undefined
  const slackTeamName = textAt(team, 'id') === slackTeam ? textAt(team, 'domain') : undefined
  const slackUserName = textAt(user, 'username') ?? textAt(user, 'name')
  const by = { slackTeam, slackUser, slackTeamName: shown(slackTeamName), slackUserName: shown(slackUserName) }
  return { by, choice, deliveryId, responseUrl }
}

/** Maximum length of a name, in characters. */
const maxNameLength = 80

const shown = (name: string | undefined): string | null => name?.slice(0, maxNameLength).toWellFormed() ?? null

function jsonIn(text: string): unknown {
  try {
    return parseBoundedJson(text, messageBounds)
  } catch {
    return undefined // signed by Slack, but of an unknown kind
  }
}

const at = (held: unknown, name: string): unknown =>
  typeof held === 'object' && held !== null ? Reflect.get(held, name) : undefined

/** Maximum length of an id; longer or invalid ones count as missing. */
const maxIdLength = 500

function textAt(held: unknown, name: string): string | undefined {
  const text = at(held, name)
  if (typeof text !== 'string' || text === '' || text.length > maxIdLength || text.includes('\0')) return undefined
  return text.isWellFormed() ? text : undefined
}

/** Hosts at which Slack, including Slack for governments, accepts replies. */
const slackOrigins = ['https://hooks.slack.com', 'https://hooks.slack-gov.com']

/** Reports whether a reply URL is Slack's or has the origin of the channel's own URL. */
export function isAnswerAddress(responseUrl: string, channelUrl: string): boolean {
  const origin = URL.parse(responseUrl)?.origin
  if (origin === undefined || origin === 'null') return false
  return slackOrigins.includes(origin) || origin === URL.parse(channelUrl)?.origin
}
