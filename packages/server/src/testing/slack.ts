import { createHmac, randomBytes } from 'node:crypto'
import type { NotificationChannel } from '@sluice/contract'
import { startStubServer } from './stub-server.ts'

export type SlackUser = { id: string; username: string; team_id: string }

type Button = { action_id: string; value: string; text: { text: string } }
export type SlackMessage = {
  text: string
  replace_original?: boolean
  response_type?: string
  blocks: { type: string; elements?: Button[]; text?: { text: string } }[]
}

/** Deviations of a button press from the default. */
export type PressOptions = { secret?: string; at?: Date; responseUrl?: string; body?: string; timestamp?: string }

/** Starts a fake Slack, which receives messages and replies and sends signed button presses. */
export async function startSlack() {
  const server = await startStubServer(() => ({ text: 'ok' }))
  const signingSecret = randomBytes(16).toString('hex')
  const sentTo = (path: string): SlackMessage[] =>
    server.received.filter((one) => one.path.startsWith(path)).map(({ body }) => JSON.parse(body))

  return {
    signingSecret,
    /** URL of an incoming webhook. */
    webhook: `${server.url}/services/${randomBytes(6).toString('hex')}`,
    messages: () => sentTo('/services/'),
    /** Returns the replies to a user's button presses. */
    answers: ({ id }: SlackUser) => sentTo(`/actions/${id}`),
    user(username: string): SlackUser {
      return { id: `U${randomBytes(5).toString('hex').toUpperCase()}`, username, team_id: 'T0SLUICE' }
    },
    /** Returns Slack's request for a button press. */
    pressOf(user: SlackUser, { action_id, value }: Pick<Button, 'action_id' | 'value'>, wishes: PressOptions = {}) {
      const payload = {
        type: 'block_actions',
        user,
        team: { id: user.team_id, domain: 'shop' },
        trigger_id: randomBytes(8).toString('hex'),
        response_url: wishes.responseUrl ?? `${server.url}/actions/${user.id}`,
        actions: [{ type: 'button', action_id, value }],
      }
      const body = wishes.body ?? new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
      const timestamp = wishes.timestamp ?? String(Math.floor((wishes.at ?? new Date()).getTime() / 1_000))
      const signature = createHmac('sha256', wishes.secret ?? signingSecret).update(`v0:${timestamp}:${body}`)
      return {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': `v0=${signature.digest('hex')}`,
        },
        body,
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export type Slack = Awaited<ReturnType<typeof startSlack>>

/** Sends a button press to the channel's interaction URL. */
export const sendPress = ({ interactivityUrl = '' }: NotificationChannel, at: string, press: RequestInit) =>
  fetch(at + new URL(interactivityUrl).pathname, press)

export const buttonsOf = ({ blocks }: SlackMessage): Button[] =>
  blocks.flatMap(({ type, elements = [] }) => (type === 'actions' ? elements : []))

export const textOf = (message: SlackMessage): string => JSON.stringify(message)
