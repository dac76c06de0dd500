import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { hideNamedSecrets, isSecretName } from './named-secrets.ts'

test(
  'a name that ends in a word for a secret is secret',
  everyCase(
    [
      ...['PASSWORD', 'DB_PASSWORD', 'PGPASSWORD', 'masterUserPassword', 'db.password', 'PASSWORD_2', 'STRIPE_API_KEY'],
      ...['apiKey', 'x-api-key', 'GITHUB_TOKEN', 'authToken', 'client-secret', 'AWS_SECRET_ACCESS_KEY', 'private_key'],
      ...['credentials', 'connection_string'],
    ],
    (name) => {
      expect(isSecretName(name)).toBe(true)
    },
  ),
)

test(
  'other names are not secret',
  everyCase(
    ['password_length', 'token_ttl', 'secret_arn', 'kms_key_id', 'public_key', 'api_keys_enabled', 'tokenizer', 'name'],
    (name) => {
      expect(isSecretName(name)).toBe(false)
    },
  ),
)

test(
  'values with a secret name are hidden',
  everyCase(
    [
      [
        { password: 'a', port: 1 },
        { password: '***', port: 1 },
      ],
      [
        { pin_token: 1234, has_token: true, old_token: null, no_token: '' },
        { pin_token: '***', has_token: true, old_token: null, no_token: '' },
      ],
      [[{ name: 'DB_PASSWORD', value: 'a' }], [{ name: 'DB_PASSWORD', value: '***' }]],
      [[{ Key: 'team', Value: 'a' }], [{ Key: 'team', Value: 'a' }]],
      [{ env: ['DB_PASSWORD=a', 'PORT=80'] }, { env: ['DB_PASSWORD=***', 'PORT=80'] }],
      [{ body: '{"token":"a","n":1}' }, { body: '{"token":"***","n":1}' }],
      [
        { body: '{ "n": 1 }', text: '{not json' },
        { body: '{ "n": 1 }', text: '{not json' },
      ],
      [{ secret: { name: 'a', token: 'b' } }, { secret: { name: 'a', token: '***' } }],
      [{ token: { from_parameter_store: '/a' } }, { token: { from_parameter_store: '/a' } }],
    ],
    (value, shown) => {
      expect(hideNamedSecrets(value, '***')).toEqual(shown)
    },
  ),
)

test('a value without secret names is unchanged', () => {
  const values = [fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[a-z ]*$/)]
  fc.assert(
    fc.property(fc.object({ key: fc.constantFrom('port', 'name', 'size', 'value'), values }), (value) => {
      expect(hideNamedSecrets(value, '***')).toEqual(value)
    }),
  )
})
