import { Alert } from '@mantine/core'
import { IconMessageOff } from '../ui/icons.tsx'

/** Shown as low as possible, because the text below it moves when it appears. */
export const CommentsNotSavedNotice = () => (
  <Alert color="orange" variant="light" p="xs" mb="sm" icon={<IconMessageOff aria-hidden />}>
    Comments are not saved: a version stores only the configuration itself.
  </Alert>
)
