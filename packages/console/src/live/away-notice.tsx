import { Alert } from '@mantine/core'
import { IconPlugConnectedX } from '../ui/icons.tsx'
import { TimeOfDay } from '../ui/time.tsx'

/** Says that the page may be outdated and recovers automatically. */
export const AwayNotice = ({ since }: { since: number }) => (
  <Alert
    mb="md"
    color="orange"
    variant="light"
    icon={<IconPlugConnectedX aria-hidden />}
    title="The server is not responding"
    role="status"
  >
    Data is from <TimeOfDay at={new Date(since).toISOString()} />. It updates automatically when the server responds
    again. Changes that you make until then are not saved.
  </Alert>
)
