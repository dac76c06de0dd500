import type {
  AuditEvent,
  Deployment,
  NotificationChannelWithSecret,
  PipelineStepExecution,
  Principal,
  SlackAccount,
  SlackLink,
} from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { signIn } from '../../testing/session.ts'
import {
  buttonsOf,
  type PressOptions,
  type Slack,
  type SlackMessage,
  type SlackUser,
  sendPress,
  startSlack,
  textOf,
} from '../../testing/slack.ts'
import { canary, pausingBeforeShifts } from '../../testing/strategies.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'

const csrf = { 'x-sluice-csrf': '1' }
const opened: AsyncDisposable[] = []
let world: World
beforeAll(async () => {
  world = await startWorld({
    env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1', SLUICE_PUBLIC_URL: 'https://sluice.example.com' },
  })
})
afterAll(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type Channel = NotificationChannelWithSecret
type Place = { org: TestOrganization; slack: Slack; channel: Channel }

const waits = ['deployment.paused', 'deployment.approval_requested', 'pipeline_run.approval_requested']

/** Creates an organization with a Slack channel whose app has a signing secret. */
async function inSlack(change: object = {}): Promise<Place> {
  const [org, slack] = [await world.organization(), await startSlack()]
  opened.push(slack)
  const data = { name: 'Releases', kind: 'SLACK', url: slack.webhook, events: waits, ...change }
  const signed = { ...data, ...('signingSecret' in data ? {} : { signingSecret: slack.signingSecret }) }
  return { org, slack, channel: await org.client.done<Channel>('POST', '/notification-channels', { data: signed }) }
}

/** Presses a button as a Slack user and returns the response status. */
async function press(
  { slack, channel }: Place,
  user: SlackUser,
  message: SlackMessage,
  id: string,
  wishes?: PressOptions,
) {
  const button = buttonsOf(message).find(({ action_id }) => action_id === id)
  if (!button) throw new Error(`the message has no button ${id}`)
  return (await sendPress(channel, world.url, slack.pressOf(user, button, wishes))).status
}

/** Returns the channel's nth message with buttons. */
const asked = ({ slack }: Place, nth = 0): Promise<SlackMessage> =>
  eventually(
    'a message with buttons',
    async () => slack.messages().filter((one) => buttonsOf(one).length > 0)[nth],
    (one) => one !== undefined,
  ).then((one) => one as SlackMessage)

/** Returns the nth private reply to a user. */
const answer = ({ slack }: Place, user: SlackUser, nth = 0): Promise<SlackMessage> =>
  eventually(
    `${user.username} to be answered`,
    async () => slack.answers(user)[nth],
    (one) => one !== undefined,
  ).then((one) => one as SlackMessage)

type Member = Principal & { client: Client; cookie: string }

/** Creates a member with an API key and a browser session. */
async function member({ org }: Place, client: Client): Promise<Member> {
  const who = await client.done<Principal>('GET', '/auth/whoami')
  return { ...who, client, cookie: await signIn(world.db, { ...who, organizationId: org.id }) }
}

const tokenIn = (message: SlackMessage): string => /\?token=([\w.-]+)/.exec(textOf(message))?.[1] ?? ''

const link = ({ cookie }: Pick<Member, 'cookie'>, token: string, path = '/slack-accounts', headers: object = csrf) =>
  new Client(world.url, '').send('POST', path, {
    json: JSON.stringify({ data: { token } }),
    headers: { cookie, ...headers },
  })

/** Creates a member and links their Slack account by pressing a button. */
async function linked(place: Place, message: SlackMessage, client: Client): Promise<Member & { user: SlackUser }> {
  const who = await member(place, client)
  const user = place.slack.user(who.email.split('@')[0] ?? '')
  expect(await press(place, user, message, buttonsOf(message)[0]?.action_id ?? '')).toBe(200)
  expect((await link(who, tokenIn(await answer(place, user)))).status).toBe(201)
  return { ...who, user }
}

async function waitingStep(place: Place, step: object = {}) {
  const run = await place.org.pipelines.run([{ id: 'ask', type: 'approval', ...step }])
  const { id } = await place.org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  return { id, message: await asked(place) }
}

const stepOf = ({ org }: Place, id: string) =>
  org.client.done<PipelineStepExecution>('GET', `/pipeline-step-executions/${id}`)
const linesOf = ({ org }: Place, query: string) => org.client.done<AuditEvent[]>('GET', `/audit-events?${query}`)

describe.concurrent('a linked member', () => {
  test('continues a paused release once, and the message names them', async () => {
    const place = await inSlack()
    const { org } = place
    const { moduleInstanceId } = await org.service(pausingBeforeShifts(canary))
    const { id } = await org.deploy(moduleInstanceId)
    const hookId = await org.untilPaused(id)
    const message = await asked(place)
    expect(buttonsOf(message).map(({ action_id }) => action_id)).toEqual(['continue', 'cancel'])
    expect(textOf(message)).toContain(`/console/deployments/${id}|Open in Sluice`)
    const ann = await linked(place, message, await org.member('DEVELOPER'))
    expect((await org.get(id)).data).not.toHaveProperty('acceptedPauseControl')

    expect(await press(place, ann.user, message, 'continue')).toBe(200)
    const told = await answer(place, ann.user, 1)
    expect(told.replace_original).toBe(true)
    expect(textOf(told)).toContain(`Continued by ${ann.email}`)
    expect(buttonsOf(told)).toEqual([])
    expect((await org.get(id)).data).toMatchObject({ acceptedPauseControl: { hookId } })
    const lines = await linesOf(place, `resourceId=${id}&action=deployments.continue`)
    expect(lines).toMatchObject([{ actorId: ann.membershipId, actorName: ann.email, channel: 'SLACK' }])

    // A button of the earlier pause decides nothing about the next one.
    const later = await asked(place, 1)
    expect(later).not.toEqual(message)
    await press(place, ann.user, message, 'cancel')
    expect(textOf(await answer(place, ann.user, 2))).toContain('Nothing was decided.')
    expect((await org.get(id)).status).toBe('IN_PROGRESS')
    await press(place, ann.user, later, 'cancel')
    expect(textOf(await answer(place, ann.user, 3))).toContain(`Rolled back or cancelled by ${ann.email}`)
    await org.untilStatus(id, 'ROLLED_BACK')
  })

  test('approves a release with another member, and the buttons remain until enough have approved', async () => {
    const place = await inSlack()
    const { org } = place
    await org.client.done('POST', '/approval-rules', { data: { name: 'Two', requiredApprovals: 2 } })
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    const message = await asked(place)
    const ann = await linked(place, message, await org.member('DEVELOPER'))
    const bob = await linked(place, message, await org.member('DEVELOPER'))
    await press(place, ann.user, message, 'approve')
    const first = await answer(place, ann.user, 1)
    expect([first.replace_original, textOf(first)]).toEqual([true, expect.stringContaining(`Approved by ${ann.email}`)])
    expect(buttonsOf(first)).toEqual(buttonsOf(message))
    await press(place, ann.user, first, 'approve')
    const again = await answer(place, ann.user, 2)
    expect([again.response_type, textOf(again)]).toEqual(['ephemeral', expect.stringContaining('already')])
    await press(place, bob.user, first, 'approve')
    const both = await answer(place, bob.user, 1)
    expect(textOf(both)).toContain(`Approved by ${ann.email}`)
    expect(textOf(both)).toContain(`Approved by ${bob.email}`)
    expect(buttonsOf(both)).toEqual([])
    await org.untilStatus(id, 'SUCCESS')
  })

  test('rejects a step, and the texts of the step contain no markup', async () => {
    const place = await inSlack()
    const { id, message } = await waitingStep(place, {
      approval: { message: '<!channel> <https://evil.example|go on>' },
    })
    const markup = ({ blocks }: SlackMessage) => JSON.stringify(blocks.filter(({ text }) => text && 'mrkdwn' in text))
    expect(textOf(message)).toContain('<!channel>')
    expect(markup(message)).not.toContain('channel>')
    const ann = await linked(place, message, await place.org.member('DEVELOPER'))
    await press(place, ann.user, message, 'reject')
    expect(textOf(await answer(place, ann.user, 1))).toContain(`Rejected by ${ann.email}`)
    expect(await stepOf(place, id)).toMatchObject({ status: 'ERROR' })
    expect((await linesOf(place, `resourceId=${id}`))[0]).toMatchObject({ channel: 'SLACK', actorId: ann.membershipId })
  })

  test('decides in every channel of the app, whichever interaction URL Slack calls', async () => {
    const place = await inSlack({ events: ['deployment.failed'] })
    const { org, slack } = place
    const { signingSecret } = slack
    const data = { name: 'Steps', kind: 'SLACK', url: slack.webhook, events: waits, signingSecret }
    await org.client.done('POST', '/notification-channels', { data })
    const { id, message } = await waitingStep(place)
    const ann = await linked(place, message, await org.member('DEVELOPER'))
    await press(place, ann.user, message, 'approve')
    expect(textOf(await answer(place, ann.user, 1))).toContain(`Approved by ${ann.email}`)
    expect(await stepOf(place, id)).not.toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  test('cannot decide in a channel that has been disabled', async () => {
    const place = await inSlack()
    const { id, message } = await waitingStep(place)
    const ann = await linked(place, message, await place.org.member('DEVELOPER'))
    await place.org.client.done('PATCH', `/notification-channels/${place.channel.id}`, { data: { enabled: false } })
    await press(place, ann.user, message, 'approve')
    expect(textOf(await answer(place, ann.user, 1))).toContain('switched off')
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  test('without the permission gets a private explanation, and nothing is decided', async () => {
    const place = await inSlack()
    const { id, message } = await waitingStep(place)
    const eve = await linked(place, message, await place.org.member('VIEWER'))
    await press(place, eve.user, message, 'approve')
    const told = await answer(place, eve.user, 1)
    expect([told.response_type, told.replace_original]).toEqual(['ephemeral', false])
    expect(textOf(told)).toContain('approvals:write')
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  test('who started the release cannot decide if the rule excludes them', async () => {
    const place = await inSlack()
    await place.org.client.done('POST', '/approval-rules', {
      data: { name: 'Others', guards: ['STEPS'], excludeStarter: true },
    })
    const { id, message } = await waitingStep(place)
    const owner = await linked(place, message, place.org.client)
    await press(place, owner.user, message, 'approve')
    expect(textOf(await answer(place, owner.user, 1))).toContain('You started it')
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  test('cannot decide after the request was repeated or the release changed', async () => {
    const place = await inSlack()
    const { org } = place
    const { id, message } = await waitingStep(place)
    const ann = await linked(place, message, await org.member('DEVELOPER'))
    const requestedAt = new Date(Date.now() + 1_000).toISOString()
    const anew = sql`jsonb_set(approval, '{requestedAt}', to_jsonb(${requestedAt}::text))`
    await world.db.update(pipelineStepExecutions).set({ approval: anew }).where(eq(pipelineStepExecutions.id, id))
    await press(place, ann.user, message, 'approve')
    expect(textOf(await answer(place, ann.user, 1))).toContain('requested again')
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })

    await org.client.done('POST', '/approval-rules', { data: { name: 'Production' } })
    const { moduleInstanceId } = await org.service()
    const { id: deploymentId } = await org.deploy(moduleInstanceId)
    const wanted = await eventually(
      'the release to be told of',
      async () => place.slack.messages().find((one) => textOf(one).includes(deploymentId)),
      (one) => one !== undefined,
    )
    const other = sql`jsonb_set(release, '{changed}', 'true')`
    await world.db.update(deployments).set({ release: other }).where(eq(deployments.id, deploymentId))
    if (wanted) await press(place, ann.user, wanted, 'approve')
    expect(textOf(await answer(place, ann.user, 2))).toContain('has changed since you fetched it')
    expect((await org.client.done<Deployment>('GET', `/deployments/${deploymentId}`)).status).toBe('PENDING')
  })

  test('sends one decision even if Slack repeats the request, also after the decision was undone', async () => {
    const place = await inSlack()
    const data = { name: 'Two', guards: ['STEPS'], requiredApprovals: 2 }
    await place.org.client.done('POST', '/approval-rules', { data })
    const { id, message } = await waitingStep(place)
    const ann = await linked(place, message, await place.org.member('DEVELOPER'))
    const [button = { action_id: '', value: '' }] = buttonsOf(message)
    const request = place.slack.pressOf(ann.user, button)
    const send = async () => (await sendPress(place.channel, world.url, request)).status
    expect(await Promise.all([send(), send(), send()])).toEqual([200, 200, 200])
    expect(textOf(await answer(place, ann.user, 1))).toContain(`Approved by ${ann.email}`)
    await ann.client.done('POST', `/pipeline-step-executions/${id}/withdraw-approval`)
    expect(await send()).toBe(200)
    const other = { name: 'Same app', kind: 'SLACK', url: place.slack.webhook, events: ['deployment.failed'] }
    const { signingSecret } = place.slack
    const sameApp = await place.org.client.done<Channel>('POST', '/notification-channels', {
      data: { ...other, signingSecret },
    })
    expect((await sendPress(sameApp, world.url, request)).status).toBe(200)
    const lines = await linesOf(place, `resourceId=${id}&action=pipeline-step-executions.approve`)
    expect(lines).toHaveLength(1)
    expect(place.slack.answers(ann.user)).toHaveLength(2)
  })
})

describe.concurrent('a sender without a valid signature', () => {
  test('gets no information and has no effect', async () => {
    const place = await inSlack()
    const { channel, slack, org } = place
    const { id, message } = await waitingStep(place)
    const ann = await linked(place, message, await org.member('DEVELOPER'))
    const [button = { action_id: '', value: '' }] = buttonsOf(message)
    const unsigned = await org.client.done<Channel>('POST', '/notification-channels', {
      data: { name: 'No app', kind: 'SLACK', url: slack.webhook, events: ['deployment.failed'] },
    })
    const right = slack.pressOf(ann.user, button)
    const old = new Date(Date.now() - 6 * 60_000)
    const attempts: [Channel, RequestInit][] = [
      [channel, slack.pressOf(ann.user, button, { secret: 'f'.repeat(32) })],
      [channel, slack.pressOf(ann.user, button, { at: old })],
      [channel, slack.pressOf(ann.user, button, { at: new Date(Date.now() + 6 * 60_000) })],
      [channel, slack.pressOf(ann.user, button, { timestamp: 'now' })],
      [channel, { ...right, body: `${right.body}&` }],
      [channel, { ...right, headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
      [unsigned, right],
      [{ ...channel, interactivityUrl: `${channel.interactivityUrl}`.replace(/nch_\w+/, 'nch_nobody') }, right],
    ]
    const answers = []
    for (const [to, request] of attempts) {
      const response = await sendPress(to, world.url, request)
      const { code, message: said } = (await response.json()) as { code: string; message: string }
      answers.push([response.status, code, said])
    }
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(answers[0]).toMatchObject([401, 'Sluice:NotificationChannels:SLACK_SIGNATURE_INVALID', expect.anything()])
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })
    expect(slack.answers(ann.user)).toHaveLength(1)
  })

  test('cannot act for others with internal headers', async () => {
    const headers = { 'x-sluice-own-request': 'slo_guessed' }
    expect((await fetch(`${world.url}/deployments`, { headers })).status).toBe(401)
  })

  test('can be Slack with an unknown interaction, which is accepted and ignored', async () => {
    const place = await inSlack()
    const { message } = await waitingStep(place)
    const user = place.slack.user('mia')
    const payload = (said: unknown) => new URLSearchParams({ payload: JSON.stringify(said) }).toString()
    const bodies = ['', 'payload=%7B', payload(null), payload({ type: 'view_submission' }), payload({ actions: [] })]
    for (const body of bodies) {
      const request = place.slack.pressOf(user, { action_id: 'approve', value: 'x' }, { body })
      expect((await sendPress(place.channel, world.url, request)).status).toBe(200)
    }
    // Replies go only to Slack or to the channel's own host.
    for (const responseUrl of ['https://hooks.slack.com.evil.example/x', 'http://127.0.0.1:9/x', 'file:///etc/passwd'])
      expect(await press(place, user, message, 'approve', { responseUrl })).toBe(200)
    expect(await press(place, user, message, 'approve')).toBe(200)
    await answer(place, user)
    expect(place.slack.answers(user)).toHaveLength(1)
  })

  test('cannot use a button of another organization', async () => {
    const [place, other] = [await inSlack(), await inSlack()]
    const { id, message } = await waitingStep(place)
    const theirs = await waitingStep(other)
    const eve = await linked(other, theirs.message, await other.org.member('OWNER'))
    const [button = { action_id: '', value: '' }] = buttonsOf(message)
    // Signed by their own app, for their own channel.
    await sendPress(other.channel, world.url, other.slack.pressOf(eve.user, button))
    expect(textOf(await answer(other, eve.user, 1))).toContain('too old')
    // Signed by this organization's app, in which the user is not linked.
    expect(await press(place, eve.user, message, 'approve')).toBe(200)
    expect(textOf(await answer(place, eve.user))).toContain('linked to no member')
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })
})

describe.concurrent('a link', () => {
  test('is shown to the user who pressed, names both accounts, is confirmed in the console and can be removed', async () => {
    const place = await inSlack()
    const { id, message } = await waitingStep(place)
    const ann = await member(place, await place.org.member('DEVELOPER'))
    const user = place.slack.user('ann')
    await press(place, user, message, 'approve')
    const told = await answer(place, user)
    expect([told.response_type, told.replace_original]).toEqual(['ephemeral', false])
    expect(textOf(told)).toContain('https://sluice.example.com/console/slack?token=')
    const token = tokenIn(told)
    const seen = (await link(ann, token, '/slack-accounts/preview')).body as { data: SlackLink }
    expect(seen.data).toMatchObject({
      slackTeam: 'T0SLUICE',
      slackTeamName: 'shop',
      slackUser: user.id,
      slackUserName: 'ann',
    })
    expect((await link(ann, token, '/slack-accounts', {})).status).toBe(403) // as from another site
    expect((await link(ann, token)).status).toBe(201)
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })

    const [own, ...more] = await ann.client.done<SlackAccount[]>('GET', '/slack-accounts')
    expect([own, more]).toMatchObject([{ slackUser: user.id, membershipId: ann.membershipId }, []])
    const bob = await place.org.member('ADMIN')
    expect(await bob.done('GET', '/slack-accounts')).toEqual([])
    expect((await bob.ask('DELETE', `/slack-accounts/${own?.id}`)).status).toBe(404)
    expect(await place.org.client.done('GET', '/slack-accounts')).toMatchObject([{ memberEmail: ann.email }])
    expect((await ann.client.ask('DELETE', `/slack-accounts/${own?.id}`)).status).toBe(204)
    await press(place, user, message, 'approve')
    expect(textOf(await answer(place, user, 1))).toContain('linked to no member')
    expect(await linesOf(place, `resourceId=${own?.id}`)).toMatchObject([
      { action: 'slack-accounts.unlink', actorId: ann.membershipId, before: { slackUser: user.id } },
      { action: 'slack-accounts.link', actorId: ann.membershipId, details: { slackUser: user.id }, channel: 'CONSOLE' },
    ])
  })

  test('works unmodified, in a browser, for a member of the same organization', async () => {
    const [place, other] = [await inSlack(), await inSlack()]
    const { message } = await waitingStep(place)
    const user = place.slack.user('ann')
    await press(place, user, message, 'approve')
    const token = tokenIn(await answer(place, user))
    const [ann, eve] = [await member(place, place.org.client), await member(other, other.org.client)]
    for (const path of ['/slack-accounts', '/slack-accounts/preview']) {
      const stranger = await link(eve, token, path)
      expect([stranger.status, stranger.body]).toMatchObject([422, { code: 'Sluice:SlackAccounts:LINK_INVALID' }])
      const [said = '', signature = ''] = token.split('.')
      const claims = { ...JSON.parse(Buffer.from(said, 'base64url').toString()), organizationId: other.org.id }
      const forged = `${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
      for (const wrong of [forged, 'x', `${said}.`, `${token}x`])
        expect((await link(eve, wrong, path)).status).toBe(422)
      expect((await ann.client.ask('POST', path, { data: { token } })).status).toBe(403)
    }
    expect(await ann.client.done('GET', '/slack-accounts')).toEqual([])
  })

  test('connects one Slack account with one member, and neither can be linked again', async () => {
    const place = await inSlack()
    const { message } = await waitingStep(place)
    const ann = await linked(place, message, await place.org.member('DEVELOPER'))
    const bob = await member(place, await place.org.member('DEVELOPER'))
    const other = place.slack.user('other')
    await press(place, other, message, 'approve')
    expect((await link(ann, tokenIn(await answer(place, other)))).status).toBe(409)
    expect((await link(bob, tokenIn(await answer(place, ann.user)))).status).toBe(409)
    expect((await link(bob, tokenIn(await answer(place, other)))).status).toBe(201)
  })

  test('ends with the membership, and an owner can remove it', async () => {
    const place = await inSlack()
    const { id, message } = await waitingStep(place)
    const { client } = place.org
    const ann = await linked(place, message, await place.org.member('DEVELOPER'))
    const bob = await linked(place, message, await place.org.member('DEVELOPER'))
    expect((await client.ask('DELETE', `/memberships/${ann.membershipId}`)).status).toBe(204)
    const [left] = await client.done<SlackAccount[]>('GET', '/slack-accounts')
    expect(left?.membershipId).toBe(bob.membershipId)
    expect((await client.ask('DELETE', `/slack-accounts/${left?.id}`)).status).toBe(204)
    for (const { user } of [ann, bob]) {
      await press(place, user, message, 'approve')
      expect(textOf(await answer(place, user, 1))).toContain('linked to no member')
    }
    expect(await stepOf(place, id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })
})

describe.concurrent('a channel', () => {
  test('has buttons only with a signing secret, which is never returned and only owners can set', async () => {
    const place = await inSlack({ signingSecret: undefined })
    const { org, slack, channel } = place
    expect(channel).toMatchObject({
      hasSigningSecret: false,
      interactivityUrl: `https://sluice.example.com/notification-channels/${channel.id}/slack-interactions`,
    })
    const run = await org.pipelines.run([{ id: 'ask', type: 'approval' }])
    await eventually(
      'it to be told',
      async () => slack.messages(),
      ({ length }) => length === 1,
    )
    expect(buttonsOf(slack.messages()[0] as SlackMessage)).toEqual([])
    const path = `/notification-channels/${channel.id}`
    const admin = await org.member('ADMIN')
    const { signingSecret } = slack
    expect((await admin.ask('PATCH', path, { data: { signingSecret } })).status).toBe(403)
    const changed = await org.client.done<Channel>('PATCH', path, { data: { signingSecret } })
    expect(changed).toMatchObject({ hasSigningSecret: true })
    await org.pipelines.approve(run.id, 'ask')
    const [first] = await org.client.done<{ id: string }[]>('GET', `${path}/deliveries`)
    await org.client.done('POST', `/notification-deliveries/${first?.id}/resend`)
    const message = await asked(place)
    // A decision made meanwhile is not made again.
    const ann = await linked(place, message, await org.member('DEVELOPER'))
    await press(place, ann.user, message, 'reject')
    expect(textOf(await answer(place, ann.user, 1))).toContain('is not waiting for approval')
    const all = [changed, await org.client.done('GET', path), await linesOf(place, `resourceId=${channel.id}`)]
    expect(JSON.stringify(all)).not.toContain(signingSecret)

    await admin.done('PATCH', path, { data: { signingSecret: null } })
    expect(await org.client.done('GET', path)).toMatchObject({ hasSigningSecret: false })
    expect(await press(place, ann.user, message, 'approve')).toBe(401)
  })

  test('of another type accepts no signing secret', async () => {
    const { org } = await inSlack()
    const data = { name: 'x', kind: 'TEAMS', url: 'https://example.com/x', events: [], signingSecret: 'a'.repeat(32) }
    const { status, body } = await org.client.ask('POST', '/notification-channels', { data })
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('expected none for TEAMS')])
  })
})
