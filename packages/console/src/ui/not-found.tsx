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

/** An address that no page has. */
export const NotFound = () => {
  useDocumentTitle('Page not found · Sluice')
  return (
    <Notice isPage title="Page not found" action={<WaysOut />}>
      Check the address. The page may have been deleted.
    </Notice>
  )
}

/** A record that is not there for who looks; the service does not say which of the reasons it is. */
export const RecordNotFound = ({ message }: { message: string }) => {
  useDocumentTitle('Not found · Sluice')
  return (
    <Notice isPage title="Not found" action={<WaysOut />}>
      {message} It may have been deleted, belong to another organization, or be in a project where you have no role. Ask
      the person who sent you the link, or ask an owner for a role.
    </Notice>
  )
}
