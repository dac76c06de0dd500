import { channelKinds } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { channelAddressFaults, openUrl, secretIn, withoutSecret } from './reach.ts'

const url = 'https://hooks.example.com/T1/B2/secret'
const routingKey = 'R0123456789abcdef0123456789abcde'

test(
  'a new channel is validated by its type',
  everyCase(
    [
      ['WEBHOOK', { url }, []],
      ['WEBHOOK', {}, ['$.data.url: expected one for WEBHOOK']],
      ['WEBHOOK', { url, routingKey }, ['$.data.routingKey: expected none for WEBHOOK']],
      ['WEBHOOK', { url, format: 'CDEVENTS' }, []],
      ['SLACK', { url }, []],
      ['SLACK', { url, format: 'CDEVENTS' }, ['$.data.format: expected none for SLACK']],
      ['TEAMS', {}, ['$.data.url: expected one for TEAMS']],
      ['EMAIL', { recipients: ['on-call@example.com'] }, []],
      ['EMAIL', { url }, ['$.data.url: expected none for EMAIL', '$.data.recipients: expected one for EMAIL']],
      ['TEAM_MEMBERS', { teamId: 'team_1' }, []],
      ['TEAM_MEMBERS', {}, ['$.data.teamId: expected one for TEAM_MEMBERS']],
      ['EMAIL', { recipients: ['a@example.com'], teamId: 'team_1' }, ['$.data.teamId: expected none for EMAIL']],
      ['PAGERDUTY', { routingKey }, []],
      ['PAGERDUTY', { url, routingKey }, []],
      ['PAGERDUTY', { url }, ['$.data.routingKey: expected one for PAGERDUTY']],
    ] as const,
    (kind, given, faults) => {
      expect(channelAddressFaults(kind, given, { isNew: true })).toEqual(faults)
    },
  ),
)

test('an update need not repeat the address of a channel, and cannot contain unsupported ones', () => {
  for (const kind of channelKinds) expect(channelAddressFaults(kind, {}, { isNew: false })).toEqual([])
  expect(channelAddressFaults('SLACK', { routingKey }, { isNew: false })).toEqual([
    '$.data.routingKey: expected none for SLACK',
  ])
})

test(
  'the secret part of a channel address is masked',
  everyCase(
    [
      ['WEBHOOK', undefined, url],
      ['SLACK', url, undefined],
      ['TEAMS', url, undefined],
      ['PAGERDUTY', routingKey, url],
    ] as const,
    (kind, secret, open) => {
      expect(secretIn(kind, { url, routingKey })).toBe(secret)
      expect(openUrl(kind, { url, routingKey })).toBe(open)
      const logged = JSON.stringify(withoutSecret(kind, { url, routingKey }))
      if (secret !== undefined) expect(logged).not.toContain(secret)
    },
  ),
)

test('PagerDuty’s public endpoint is the default address', () => {
  expect(openUrl('PAGERDUTY', { routingKey })).toBe('https://events.pagerduty.com/v2/enqueue')
})
