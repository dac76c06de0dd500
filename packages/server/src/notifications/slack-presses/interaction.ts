import { messageBounds, parseBoundedJson } from '@sluice/contract/bounded-json'
import type { SlackPerson } from '../../identity/slack-accounts/store.ts'
import { type ChoiceId, isChoiceId } from '../notification-deliveries/messages/question.ts'

/** Somebody pressed a button of ours in Slack. */
export type Press = {
  by: SlackPerson
  choice: ChoiceId
  /** The delivery whose message has the button. */
  deliveryId: string
  /** Where Slack takes an answer, for half an hour. */
  responseUrl: string
}

/**
 * What a form of Slack says; undefined where that is no button of ours, such as a link that was followed.
 * https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, read 2026-11-26
 */
export function pressIn(form: Buffer): Press | undefined {
  const payload = jsonIn(new URLSearchParams(form.toString('utf8')).get('payload') ?? '')
  if (textAt(payload, 'type') !== 'block_actions') return undefined
  const [user, team] = [at(payload, 'user'), at(payload, 'team')]
  const action = at(at(payload, 'actions'), '0')
  // Of somebody from elsewhere in a channel that is shared, the workspace is their own.
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

/** So much of a name fits into a link and a line. Characters. */
const longestName = 80

const shown = (name: string | undefined): string | null => name?.slice(0, longestName).toWellFormed() ?? null

function jsonIn(text: string): unknown {
  try {
    return parseBoundedJson(text, messageBounds)
  } catch {
    return undefined // Slack signed it, and means something that we do not know
  }
}

const at = (held: unknown, name: string): unknown =>
  typeof held === 'object' && held !== null ? Reflect.get(held, name) : undefined

/** Longer than all that Slack has; what is longer, empty or nothing that the database takes is no name of anything. */
const longest = 500

function textAt(held: unknown, name: string): string | undefined {
  const text = at(held, name)
  if (typeof text !== 'string' || text === '' || text.length > longest || text.includes('\0')) return undefined
  return text.isWellFormed() ? text : undefined
}

/** Where Slack, also that of governments, takes answers. */
const slackOrigins = ['https://hooks.slack.com', 'https://hooks.slack-gov.com']

/** Whether an answer may go there: to Slack, or to where the messages of the channel go anyway. */
export function isAnswerAddress(responseUrl: string, channelUrl: string): boolean {
  const origin = URL.parse(responseUrl)?.origin
  if (origin === undefined || origin === 'null') return false
  return slackOrigins.includes(origin) || origin === URL.parse(channelUrl)?.origin
}
