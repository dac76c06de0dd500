import { Badge } from '@mantine/core'
import { IconLock } from './icons.tsx'

/** Badge for a hold, with its author. */
export const HoldBadge = ({ by, reason }: { by: string; reason: string }) => (
  <Badge color="orange" variant="light" tt="none" title={reason} leftSection={<IconLock size={14} aria-hidden />}>
    Held by {by}
  </Badge>
)
