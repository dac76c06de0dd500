import type { PolicyGuards } from '@sluice/contract'
import type { RecordType, Variables } from './types.ts'

const named = { id: 'string', givenId: 'string', name: 'string' } as const

const image = {
  fields: { reference: 'string', registry: 'string', repository: 'string', tag: 'string', digest: 'string' },
} satisfies RecordType

const attribute = { fields: { path: 'string', value: 'string' } } satisfies RecordType

/** Latest rehearsal of exactly what a deployment releases. */
const rehearsal = {
  fields: {
    status: 'string',
    id: 'string',
    completedAt: 'timestamp',
    scenarios: { list: { fields: { name: 'string', outcome: 'string', errorSeconds: 'int' } } },
  },
} satisfies RecordType

const instance = { fields: { ...named, module: 'string' } } satisfies RecordType
const environment = { fields: { ...named, isRestricted: 'bool' } } satisfies RecordType

/** Starter of a subject; empty for what Sluice does by itself. */
const starter = {
  fields: { kind: 'string', id: 'string', name: 'string', role: 'string', teams: { list: 'string' } },
} satisfies RecordType

/**
 * Variables of expressions, by the type of subject; docs/reference/policies.md describes each. Excludes the values of
 * inputs, which may be secret.
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
    release: { fields: { rehearsal } },
    instance,
    project: { fields: named },
    environment,
    starter,
    now: 'timestamp',
  },
  PLANS: {
    plan: {
      fields: {
        kind: 'string',
        counts: {
          fields: {
            create: 'int',
            update: 'int',
            replace: 'int',
            delete: 'int',
            read: 'int',
            forget: 'int',
            import: 'int',
          },
        },
        cost: {
          fields: {
            currency: 'string',
            monthlyBefore: 'double',
            monthlyAfter: 'double',
            monthlyDifference: 'double',
            unpricedCount: 'int',
          },
        },
        moves: { list: { fields: { address: 'string', previousAddress: 'string' } } },
        outputs: { list: { fields: { name: 'string', action: 'string' } } },
        warnings: { list: 'string' },
        changes: {
          list: {
            fields: {
              address: 'string',
              type: 'string',
              name: 'string',
              provider: 'string',
              action: 'string',
              reasons: { list: 'string' },
              previousAddress: 'string',
              before: { list: attribute },
              after: { list: attribute },
            },
          },
        },
      },
    },
    stack: { fields: named },
    instance,
    project: { fields: named },
    environment,
    starter,
    now: 'timestamp',
  },
  PIPELINE_VERSIONS: {
    pipeline: {
      fields: {
        ...named,
        triggers: { list: 'string' },
        steps: {
          list: {
            fields: {
              id: 'string',
              name: 'string',
              type: 'string',
              needs: { list: 'string' },
              asksApproval: 'bool',
            },
          },
        },
      },
    },
    project: { fields: named },
    starter,
    now: 'timestamp',
  },
} as const satisfies Record<PolicyGuards, Variables>
