import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Notice } from './notice.tsx'

export const NotFound = () => (
  <Notice
    title="There is no such page"
    action={
      <Button component={Link} to="/">
        Go to the overview
      </Button>
    }
  >
    The address may be mistyped, or what it named is gone.
  </Notice>
)
