import { expect, test } from 'vitest'
import { sensitive, unknown } from '../adapter/sensitive.ts'
import { attributesOf } from './attributes.ts'

test('each value of a resource is text under its path', () => {
  const bucket = {
    acl: 'public-read',
    tags: { team: 'shop' },
    members: ['ada', 'bob'],
    size: 3,
    open: false,
    none: null,
  }
  expect(attributesOf(bucket)).toEqual([
    { path: 'acl', value: 'public-read' },
    { path: 'tags.team', value: 'shop' },
    { path: 'members.0', value: 'ada' },
    { path: 'members.1', value: 'bob' },
    { path: 'size', value: '3' },
    { path: 'open', value: 'false' },
  ])
})

test.each([sensitive, `pu${sensitive}-read`, unknown, 'a'.repeat(10_001)])(
  'a value that cannot be used has a path but no text: %.20s',
  (value) => {
    expect(attributesOf({ password: value })).toEqual([{ path: 'password' }])
  },
)
