import type { ImportableType } from '@sluice/contract'

/** Importable resource types with their labels and columns. */
export const importable = {
  'cloud:ecs': { label: 'Container services', none: 'No container services in this region', column: 'Service' },
  'cloud:lambda': { label: 'Functions', none: 'No functions in this region', column: 'Function' },
} as const satisfies Record<ImportableType, { label: string; none: string; column: string }>
