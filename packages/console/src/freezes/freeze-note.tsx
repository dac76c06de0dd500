import { Text } from '@mantine/core'
import type { FreezableOperation } from '@sluice/contract'
import type { FreezeScope } from './active-freezes.ts'
import { describeFreeze } from './freeze-text.ts'
import { useBlockingFreezes } from './use-freezes.ts'

/** Returns why a new release would be rejected; undefined if it would start or wait. */
export function useFreezeRejection(act: FreezableOperation, scope: FreezeScope): string | undefined {
  const refusing = useBlockingFreezes(act, scope).find(({ onRelease }) => onRelease === 'REJECT')
  return refusing && describeFreeze(refusing)
}

/** Shows next to a button that a release would wait or be rejected. */
export const FreezeNote = ({ scope }: { scope: FreezeScope }) => {
  const [freeze] = useBlockingFreezes('RELEASES', scope)
  if (!freeze) return null
  const isRefused = freeze.onRelease === 'REJECT'
  return (
    <Text size="sm" c="dimmed" style={{ flex: '1 1 16rem' }}>
      {isRefused ? 'This release would be rejected' : 'This release will wait'}: {describeFreeze(freeze)}
    </Text>
  )
}
