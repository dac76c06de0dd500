import { Badge } from '@mantine/core'
import { IconPlugConnectedX } from '../ui/icons.tsx'

/** Says that the page may be outdated while the connection is down. */
export const LiveState = ({ isLive }: { isLive: boolean }) => (
  <div role="status">
    {!isLive && (
      <Badge color="orange" variant="light" tt="none" leftSection={<IconPlugConnectedX size={14} aria-hidden />}>
        Reconnecting
      </Badge>
    )}
  </div>
)
