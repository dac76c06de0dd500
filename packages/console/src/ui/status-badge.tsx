import { Badge } from '@mantine/core'
import {
  IconAlertCircle,
  IconArrowBackUp,
  IconBan,
  IconCircleCheck,
  IconClock,
  IconLoader2,
  IconPlayerPause,
  IconPlayerSkipForward,
} from './icons.tsx'

/** Label, color and icon of each status. */
export const statusStyles = {
  PENDING: { label: 'Waiting', color: 'gray', Icon: IconClock },
  QUEUED: { label: 'Queued', color: 'gray', Icon: IconClock },
  IN_PROGRESS: { label: 'In progress', color: 'water', Icon: IconLoader2 },
  UPDATING: { label: 'Updating', color: 'water', Icon: IconLoader2 },
  PAUSED: { label: 'Paused', color: 'orange', Icon: IconPlayerPause },
  PENDING_APPROVAL: { label: 'Needs approval', color: 'orange', Icon: IconPlayerPause },
  ROLLING_BACK: { label: 'Rolling back', color: 'orange', Icon: IconArrowBackUp },
  DESTROYING: { label: 'Destroying', color: 'orange', Icon: IconLoader2 },
  SUCCESS: { label: 'Success', color: 'teal', Icon: IconCircleCheck },
  ACTIVE: { label: 'Active', color: 'teal', Icon: IconCircleCheck },
  ERROR: { label: 'Failed', color: 'red', Icon: IconAlertCircle },
  ROLLED_BACK: { label: 'Rolled back', color: 'red', Icon: IconArrowBackUp },
  CANCELLED: { label: 'Cancelled', color: 'gray', Icon: IconBan },
  DESTROYED: { label: 'Destroyed', color: 'gray', Icon: IconBan },
  SKIPPED: { label: 'Skipped', color: 'gray', Icon: IconPlayerSkipForward },
} as const

export type DisplayStatus = keyof typeof statusStyles

/** Shows a status with label, color and icon, so that color is never the only difference. */
export const StatusBadge = ({ status, size = 'md' }: { status: DisplayStatus; size?: 'sm' | 'md' | 'lg' }) => {
  const { label, color, Icon } = statusStyles[status]
  return (
    <Badge color={color} variant="light" size={size} leftSection={<Icon size={14} aria-hidden />} tt="none" fw={600}>
      {label}
    </Badge>
  )
}
