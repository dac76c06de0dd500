import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { addressIn, nameIn, type Rules, roleIn, teamsIn } from './machine.ts'

const rules: Rules = {
  domains: ['example.com'],
  groupsClaim: 'groups',
  groupRoles: [
    { group: 'ops', role: 'ADMIN' },
    { group: 'everybody', role: 'VIEWER' },
  ],
  groupTeams: [
    { group: 'ops', teamId: 'team_1' },
    { group: 'ops', teamId: 'team_2' },
    { group: 'everybody', teamId: 'team_2' },
  ],
  defaultRole: undefined,
}

test(
  'the email address is read from the claims',
  everyCase(
    [
      [{ email: 'Ada@Example.com', email_verified: true }, { email: 'ada@example.com' }],
      [{ email: 'ada@example.com', email_verified: false }, 'signInAddressUnverified'],
      [{ email: 'ada@example.com', email_verified: 'true' }, 'signInAddressUnverified'],
      [{ email: 'ada@example.com' }, 'signInAddressUnverified'],
      [{ email_verified: true }, 'signInAddressUnverified'],
      [{ email: ['ada@example.com'], email_verified: true }, 'signInAddressUnverified'],
      [{ email: 'eve@evil.example@example.com', email_verified: true }, 'signInAddressUnverified'],
      [{ email: 'ada@example.com\n', email_verified: true }, 'signInAddressUnverified'],
      [{ email: 'ada@evil.example', email_verified: true }, 'signInDomainForeign'],
      [{ email: 'ada@sub.example.com', email_verified: true }, 'signInDomainForeign'],
      [{ email: 'ada@evilexample.com', email_verified: true }, 'signInDomainForeign'],
      [{ email: 'ada@example.com.evil.example', email_verified: true }, 'signInDomainForeign'],
    ],
    (said, address) => {
      expect(addressIn({ sub: '1', ...said }, rules)).toEqual(address)
    },
  ),
)

test(
  'the role follows from the claims',
  everyCase(
    [
      [{ groups: ['everybody', 'ops'] }, {}, 'ADMIN'],
      [{ groups: 'ops' }, {}, 'ADMIN'],
      [{ groups: ['everybody', 'other'] }, {}, 'VIEWER'],
      [{ groups: ['Ops'] }, {}, 'signInWithoutRole'],
      [{ groups: [{ ops: true }] }, {}, 'signInWithoutRole'],
      [{}, {}, 'signInWithoutRole'],
      [{}, { defaultRole: 'DEVELOPER' }, 'DEVELOPER'],
      [{ groups: ['everybody'] }, { defaultRole: 'DEVELOPER' }, 'VIEWER'],
      [{ 'https://example.com/roles': ['ops'] }, { groupsClaim: 'https://example.com/roles' }, 'ADMIN'],
      [{}, { groupsClaim: 'constructor' }, 'signInWithoutRole'],
    ],
    (said, change, role) => {
      expect(roleIn({ sub: '1', ...said }, { ...rules, ...change } as Rules)).toBe(role)
    },
  ),
)

test(
  'the teams follow from the claims',
  everyCase(
    [
      [{ groups: ['everybody', 'ops'] }, ['team_1', 'team_2']],
      [{ groups: 'everybody' }, ['team_2']],
      [{ groups: ['other', { ops: true }] }, []],
      [{}, []],
    ],
    (said, teams) => {
      expect(teamsIn({ sub: '1', ...said }, rules)).toEqual(teams)
    },
  ),
)

test('a user without a name gets the email address as name', () => {
  expect(nameIn({ sub: '1', name: 'Ada Lovelace' }, 'ada@example.com')).toBe('Ada Lovelace')
  expect(nameIn({ sub: '1', name: ' ' }, 'ada@example.com')).toBe('ada@example.com')
})
