import { expect, test } from 'vitest'
import { registriesOnly } from './image-policy.ts'

const reject = [{ type: 'reject' }]
const accept = [{ type: 'insecureAcceptAnything' }]
const signed = [{ type: 'signedBy', keyType: 'GPGKeys', keyPath: '/keys/shop.gpg' }]

test('only images of registries are accepted, by the requirements of the machine', () => {
  expect(registriesOnly({})).toEqual({ default: reject, transports: { docker: { '': accept } } })
  expect(registriesOnly({ default: signed })).toEqual({ default: reject, transports: { docker: { '': signed } } })
  const docker = { 'registry.shop.example': signed }
  expect(registriesOnly({ default: reject, transports: { docker } })).toEqual({
    default: reject,
    transports: { docker: { '': reject, ...docker } },
  })
  const everywhere = registriesOnly({ default: accept, transports: { docker: { '': signed } } })
  expect(everywhere.transports?.docker?.[''], 'the requirements for all registries').toEqual(signed)
})
