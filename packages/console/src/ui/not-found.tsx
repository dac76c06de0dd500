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
  useDocumentTitle('No such page · Sluice')
  return (
    <Notice isPage title="There is no such page" action={<WaysOut />}>
      The address may be mistyped, or what it named is gone.
    </Notice>
  )
}

/** A record that is not there for who looks; the service does not say which of the reasons it is. */
export const RecordNotFound = ({ message }: { message: string }) => {
  useDocumentTitle('Not found · Sluice')
  return (
    <Notice isPage title="This is not here" action={<WaysOut />}>
      {message} It may be gone, belong to another organization, or be where you have no role: whoever sent you the
      address can tell, and an owner can give you one.
    </Notice>
  )
}
