import type { PolicyGuards } from '@sluice/contract'
import type { RecordType, Variables } from './types.ts'

const named = { id: 'string', givenId: 'string', name: 'string' } as const

const image = {
  fields: { reference: 'string', registry: 'string', repository: 'string', tag: 'string', digest: 'string' },
} satisfies RecordType

/** Who started something; nobody did what the service does by itself. */
const starter = {
  fields: { kind: 'string', id: 'string', name: 'string', role: 'string', teams: { list: 'string' } },
} satisfies RecordType

/**
 * What expressions see, by what they guard: docs/policies.md says what each is. Never the values of inputs, which may
 * be secret.
 */
export const variablesOf = {
  DEPLOYMENTS: {
    deployment: {
      fields: {
        type: 'string',
        strategy: 'string',
        source: 'string',
        isRollback: 'bool',
        isRedeployment: 'bool',
        isPromotion: 'bool',
        images: { list: image },
        inputs: { list: 'string' },
      },
    },
    instance: { fields: { ...named, module: 'string' } },
    project: { fields: named },
    environment: { fields: { ...named, isRestricted: 'bool' } },
    starter,
    now: 'timestamp',
  },
} as const satisfies Record<PolicyGuards, Variables>
