import {
  type DeploymentNotice,
  type NotificationPayload,
  notificationTypes,
  type PipelineRunNotice,
} from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { footers, mailOf } from './mail.ts'
import { messageOf, noticeOf } from './notice.ts'
import { pagerDutyEvent, resolves } from './pager-duty.ts'
import { slackMessage } from './slack.ts'
import { teamsMessage } from './teams.ts'

const url = 'https://sluice.example.com/console/deployments/dep_1'
const hostile = '<!channel> & <https://evil.example|click> [click](https://evil.example) *now*'

const failed = (more: Partial<DeploymentNotice> = {}): NotificationPayload => ({
  type: 'deployment.failed',
  timestamp: '2026-11-25T13:36:41.016Z',
  data: {
    organizationId: 'org_1',
    deploymentId: 'dep_1',
    url,
    status: 'ERROR',
    deploymentType: 'cloud:ecs',
    description: 'Release shop/app:2',
    project: { id: 'prj_1', name: 'Shop' },
    environment: { id: 'env_1', name: 'production' },
    moduleInstance: { id: 'mi_1', name: 'web' },
    triggerSource: 'API',
    triggeredBy: 'Ada Lovelace',
    error: hostile,
    ...more,
  },
})

const run: PipelineRunNotice = {
  organizationId: 'org_1',
  pipelineRunId: 'run_1',
  number: 7,
  url: 'https://sluice.example.com/console/runs/run_1',
  status: 'PENDING_APPROVAL',
  project: { id: 'prj_1', name: 'Shop' },
  pipeline: { id: 'ppl_1', name: 'Release' },
  step: { id: 'pse_1', name: 'May it go on?' },
  triggerSource: 'API',
  message: 'Look at the plan.',
}
const wanted: NotificationPayload = {
  type: 'pipeline_run.approval_requested',
  timestamp: '2026-11-25T13:36:41.016Z',
  data: run,
}
const tested: NotificationPayload = {
  type: 'channel.test',
  timestamp: '2026-11-25T13:36:41.016Z',
  data: { organizationId: 'org_1', channelId: 'nch_1', message: 'A test of the channel Chat.' },
}

test('a message about a requested approval names the run, the step and the question', () => {
  expect(noticeOf(wanted)).toEqual({
    title: 'Run 7 of Release waits for approval',
    facts: [
      { label: 'Project', value: 'Shop' },
      { label: 'Pipeline', value: 'Release' },
      { label: 'Step', value: 'May it go on?' },
      { label: 'Waits for', value: 'Look at the plan.' },
    ],
    url: run.url,
  })
})

test('a message about a shared resource names it and the reason', () => {
  const organizationId = 'org_1'
  const timestamp = '2026-11-25T13:36:41.016Z'
  const place = { project: { id: 'prj_1', name: 'Shop' }, environment: { id: 'env_1', name: 'production' } }
  const held = { organizationId, holdId: 'hld_1', url, ...place, triggeredBy: 'Ada Lovelace', message: hostile }
  expect(noticeOf({ type: 'hold.placed', timestamp, data: held })).toEqual({
    title: 'All of production is held',
    facts: [
      { label: 'Project', value: 'Shop' },
      { label: 'Environment', value: 'production' },
      { label: 'By', value: 'Ada Lovelace' },
      { label: 'Why', value: hostile },
    ],
    url,
  })
  const stack = { organizationId, url, ...place, stack: { id: 'stk_1', name: 'Network' }, pipelineRunId: 'run_1' }
  const ofRequest = { previewEnvironmentId: 'pve_1', givenId: 'pr-12', pullRequest: 12, failedTeardowns: 1 }
  const preview = { organizationId, url, project: place.project, ...ofRequest, error: hostile }
  const cloudAccount = { id: 'ca_1', name: 'Main' }
  const shut = { organizationId, url, cloudAccount, status: 'DISCONNECTED' as const, error: hostile }
  const names = ['shop.example.com', 'www.example.com']
  const of = { organizationId, url, certificateId: 'crt_1', cloudAccount, names, status: 'ISSUED' as const }
  const titles = [
    noticeOf({ type: 'hold.lifted', timestamp, data: { ...held, moduleInstance: { id: 'mi_1', name: 'web' } } }),
    noticeOf({ type: 'stack.drifted', timestamp, data: stack }),
    noticeOf({ type: 'preview.teardown_failed', timestamp, data: preview }),
    noticeOf({ type: 'cloud_account.disconnected', timestamp, data: shut }),
    noticeOf({ type: 'certificate.expires_soon', timestamp, data: of }),
  ].map(({ title }) => title)
  expect(titles).toEqual([
    'web in production is held no more',
    'The stack Network has drifted',
    'The preview environment pr-12 could not be torn down',
    'The cloud account Main is no longer connected',
    'The certificate of shop.example.com ends soon, and was not renewed',
  ])
})

describe('for Slack', () => {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

  test('an event becomes a message of blocks without markup in user-written text', () => {
    expect(slackMessage(noticeOf(failed()))).toEqual({
      text: 'The deployment of web to production has failed',
      blocks: [
        { type: 'header', text: plain('The deployment of web to production has failed') },
        {
          type: 'section',
          fields: [
            plain('Project\nShop'),
            plain('Environment\nproduction'),
            plain('Module instance\nweb'),
            plain('Description\nRelease shop/app:2'),
            plain('Asked for by\nAda Lovelace'),
            plain(`Why\n${hostile}`),
          ],
        },
        { type: 'section', text: { type: 'mrkdwn', text: `<${url}|Open in Sluice>` } },
      ],
    })
  })

  test('the preview line of a message mentions no one', () => {
    const moduleInstance = { id: 'mi_1', name: '<!channel> & all' }
    expect(slackMessage(noticeOf(failed({ moduleInstance }))).text).toBe(
      'The deployment of &lt;!channel&gt; &amp; all to production has failed',
    )
  })
})

test('for Teams, an event becomes an Adaptive Card without markup in user-written text', () => {
  const label = (text: string) => ({ type: 'TextRun', text, weight: 'Bolder' })
  const line = (name: string, text: string) => ({
    type: 'RichTextBlock',
    inlines: [label(`${name}: `), { type: 'TextRun', text }],
  })
  expect(teamsMessage(noticeOf(failed()))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'RichTextBlock',
              inlines: [{ ...label('The deployment of web to production has failed'), size: 'Large' }],
            },
            line('Project', 'Shop'),
            line('Environment', 'production'),
            line('Module instance', 'web'),
            line('Description', 'Release shop/app:2'),
            line('Asked for by', 'Ada Lovelace'),
            line('Why', hostile),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in Sluice', url }],
        },
      },
    ],
  })
})

test('for mail, an event becomes a subject and plain text', () => {
  const moduleInstance = { id: 'mi_1', name: 'web\r\nBcc: evil@example.com' }
  expect(mailOf(noticeOf(failed({ moduleInstance, error: hostile })), footers.recipients)).toEqual({
    subject: 'The deployment of web Bcc: evil@example.com to production has failed',
    text: [
      'The deployment of web\r\nBcc: evil@example.com to production has failed',
      '',
      'Project: Shop',
      'Environment: production',
      'Module instance: web\r\nBcc: evil@example.com',
      'Description: Release shop/app:2',
      'Asked for by: Ada Lovelace',
      `Why: ${hostile}`,
      '',
      url,
      '',
      '-- ',
      'Sent by Sluice, as an admin of the organization has set up. Settings, Notification channels changes it.',
    ].join('\n'),
  })
})

describe('for PagerDuty', () => {
  const key = 'R0123456789abcdef0123456789abcde'

  test('a failure triggers the alert of its record', () => {
    expect(pagerDutyEvent(key, { payload: failed(), recordId: 'dep_1' })).toEqual({
      routing_key: key,
      event_action: 'trigger',
      dedup_key: 'dep_1',
      client: 'Sluice',
      client_url: url,
      links: [{ href: url, text: 'Open in Sluice' }],
      payload: {
        summary: 'The deployment of web to production has failed',
        source: 'Sluice',
        severity: 'critical',
        timestamp: '2026-11-25T13:36:41.016Z',
        class: 'deployment.failed',
        custom_details: {
          Project: 'Shop',
          Environment: 'production',
          'Module instance': 'web',
          Description: 'Release shop/app:2',
          'Asked for by': 'Ada Lovelace',
          Why: hostile,
        },
      },
    })
  })

  test('a rolled back deployment and a successful run resolve the alert, and failures do not', () => {
    const payload = { ...failed({ status: 'ROLLED_BACK' }), type: 'deployment.rolled_back' as const }
    expect(pagerDutyEvent(key, { payload, recordId: 'dep_1' })).toEqual({
      routing_key: key,
      event_action: 'resolve',
      dedup_key: 'dep_1',
    })
    expect(notificationTypes.filter(resolves)).toEqual([
      'deployment.succeeded',
      'deployment.rolled_back',
      'deployment.cancelled',
      'pipeline_run.succeeded',
      'pipeline_run.cancelled',
      'hold.lifted',
      'cloud_account.connected',
    ])
  })
})

test('a test message is marked as a test in every channel', () => {
  const notice = noticeOf(tested)
  const all = [
    slackMessage(notice),
    teamsMessage(notice),
    pagerDutyEvent('key', { payload: tested, recordId: 'ndl_1' }),
  ]
  for (const message of all) expect(JSON.stringify(message)).toContain('A test of the channel Chat.')
})

describe('a digest', () => {
  const some = [{ payload: failed() }, { payload: wanted }] as const
  const digest = messageOf(some, { timeZone: 'Europe/Berlin' })

  test('is one message with a line and a link for each event, in the time zone of the channel', () => {
    expect(digest).toEqual({
      title: '2 things have happened',
      lines: [
        { at: 'Wed 14:36', title: 'The deployment of web to production has failed', url },
        { at: 'Wed 14:36', title: 'Run 7 of Release waits for approval', url: run.url },
      ],
      more: 0,
    })
    expect(mailOf(digest, footers.recipients).text).toContain(
      `Wed 14:36  Run 7 of Release waits for approval\n${run.url}`,
    )
    for (const message of [slackMessage(digest), teamsMessage(digest)]) {
      expect(JSON.stringify(message)).toContain('Run 7 of Release waits for approval')
      expect(JSON.stringify(message)).toContain(run.url)
    }
  })

  test('of a single event looks like that event’s own message', () => {
    expect(messageOf([some[0]], { timeZone: 'UTC' })).toEqual(noticeOf(failed()))
  })

  test('with hostile names contains no Slack markup and stays within the size limits of chats', () => {
    const name = { id: 'x_1', name: hostile.repeat(20) }
    const [one, ...more] = Array.from({ length: 500 }, () => ({ payload: failed({ environment: name }) }))
    const long = messageOf([one ?? some[0], ...more], { timeZone: 'UTC' })
    expect(long).toMatchObject({ lines: { length: 40 }, more: 460 })
    const slack = slackMessage(long)
    expect(JSON.stringify(slack.blocks)).not.toContain('mrkdwn')
    expect(JSON.stringify(slack.blocks)).toContain('And 460 more')
    expect(Buffer.byteLength(JSON.stringify(teamsMessage(long)))).toBeLessThan(28_000)
  })
})

test('messages stay within the size limits of chats, whatever users write', () => {
  const text = fc.string({ unit: 'binary', minLength: 1_000, maxLength: 2_000, size: 'max' })
  fc.assert(
    fc.property(text, text, (long, other) => {
      const name = { id: 'x_1', name: long.slice(0, 200) }
      const places = { project: name, environment: name, moduleInstance: name }
      const notice = noticeOf(failed({ ...places, description: long, error: other, message: other, triggeredBy: long }))
      const [header] = slackMessage(notice).blocks
      expect((header as { text: { text: string } }).text.text.length).toBeLessThanOrEqual(150)
      for (const { value } of notice.facts) expect(value.length).toBeLessThanOrEqual(600)
      expect(notice.facts.length).toBeLessThanOrEqual(10)
      // Limit of Teams: 28 KB.
      expect(Buffer.byteLength(JSON.stringify(teamsMessage(notice)))).toBeLessThan(28_000)
    }),
    { numRuns: 50 },
  )
})
