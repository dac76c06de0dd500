import type { ExecutionEnvironmentRow } from './tables.ts'

/**
 * Whether steps run in an environment. Places in a cloud account are written down only: their steps run on the shared
 * runners, as they did before there were pools.
 */
export const isReady = ({ kind }: Pick<ExecutionEnvironmentRow, 'kind'>): boolean => kind === 'runners'
