import { Button, Group } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { Link, useRouter } from '@tanstack/react-router'
import { Notice } from './notice.tsx'

const WaysOut = () => {
  const { history } = useRouter()
  return (
    <Group justify="center" mt="sm">
      <Button component={Link} to="/">
        Go to the overview
      </Button>
      {history.length > 1 && (
        <Button variant="default" onClick={() => history.back()}>
          Back
        </Button>
      )}
    </Group>
  )
}

/** Page for unknown addresses. */
export const NotFound = () => {
  useDocumentTitle('Page not found · Sluice')
  return (
    <Notice level={1} title="Page not found" action={<WaysOut />}>
      Check the address. The page may have been deleted.
    </Notice>
  )
}

/** Page for missing records. The server doesn't reveal the reason. */
export const RecordNotFound = ({ message }: { message: string }) => {
  useDocumentTitle('Not found · Sluice')
  return (
    <Notice level={1} title="Not found" action={<WaysOut />}>
      {message} It may have been deleted, belong to another organization, or be in a project where you have no role. Ask
      the person who sent you the link, or ask an owner for a role.
    </Notice>
  )
}
