import { Badge } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'

/** That nothing newer is released somewhere, and on whose word. */
export const HoldBadge = ({ by, reason }: { by: string; reason: string }) => (
  <Badge color="orange" variant="light" tt="none" title={reason} leftSection={<IconLock size={14} aria-hidden />}>
    Held by {by}
  </Badge>
)
