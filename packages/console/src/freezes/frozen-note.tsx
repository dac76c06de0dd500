import { Text } from '@mantine/core'
import type { FrozenAct } from '@sluice/contract'
import type { Where } from './frozen.ts'
import { useStops } from './use-freezes.ts'
import { frozenWords } from './words.ts'

/** Returns why a new release would be rejected; undefined if it would start or wait. */
export function useRefusal(act: FrozenAct, place: Where): string | undefined {
  const refusing = useStops(act, place).find(({ onRelease }) => onRelease === 'REFUSE')
  return refusing && frozenWords(refusing)
}

/** Shows next to a button that a release would wait or be rejected. */
export const FrozenNote = ({ place }: { place: Where }) => {
  const [freeze] = useStops('RELEASES', place)
  if (!freeze) return null
  const isRefused = freeze.onRelease === 'REFUSE'
  return (
    <Text size="sm" c="dimmed" style={{ flex: '1 1 16rem' }}>
      {isRefused ? 'This release would be rejected' : 'This release will wait'}: {frozenWords(freeze)}
    </Text>
  )
}
