import { Alert, Anchor, Code, List, Stack, Text } from '@mantine/core'
import { ApiError } from '@sluice/client'
import type { UserFacingError } from '@sluice/contract'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { type ErrorPlace, errorPlaceOf } from './forms/error-place.ts'
import { InReadersTime } from './time.tsx'

type Detail = NonNullable<UserFacingError['details']>[number]

/** An error of the service, with all that it says about the way out. */
export const ErrorPanel = ({ error }: { error: UserFacingError }) => (
  <Alert
    color="red"
    variant="light"
    icon={<IconAlertTriangle aria-hidden />}
    title={<InReadersTime sentence={error.message} />}
    role="alert"
  >
    <Stack gap="xs">
      {error.description && !isSaidBelow(error) && <Text size="sm">{error.description}</Text>}
      <ErrorDetails details={error.details} />
      <ErrorAction error={error} />
      <ErrorReference error={error} />
    </Stack>
  </Alert>
)

/** The description of what the tool said is its first error, which stands below with its place. */
const isSaidBelow = ({ description, details = [] }: UserFacingError) =>
  details.some((detail) => errorPlaceOf(detail)?.message === description)

/** What was found out about it. */
export const ErrorDetails = ({ details = [] }: { details?: readonly Detail[] | undefined }) =>
  details.map((detail, index) => <Section key={index} detail={detail} />)

/** The way to where it can be helped. */
export const ErrorAction = ({ error: { action } }: { error: UserFacingError }) =>
  action && (
    <Anchor size="sm" c="inherit" underline="always" href={action.url} target="_blank" rel="noreferrer">
      {action.label}
    </Anchor>
  )

/** By what others find it again. */
export const ErrorReference = ({ error: { code, requestId } }: { error: UserFacingError }) => (
  <Text size="xs" c="dimmed">
    {code}
    {requestId && ` · request ${requestId}`}
  </Text>
)

const Section = ({ detail }: { detail: Detail }) => {
  const { title, items, object } = detail
  const place = errorPlaceOf(detail)
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {items && <Items items={items} />}
      {place && <Place place={place} />}
      {object && !place && <Code block>{JSON.stringify(object, null, 2)}</Code>}
    </div>
  )
}

const Place = ({ place: { where, message, snippet, more } }: { place: ErrorPlace }) => (
  <>
    {where && <Text size="sm">{where}</Text>}
    {snippet && (
      <Code block tabIndex={0}>
        {snippet}
      </Code>
    )}
    {message && <Text size="sm">{message}</Text>}
    {more.length > 0 && <Items items={more} />}
  </>
)

/** So many tell what it is about; the rest would push what follows off the screen. */
const fewItems = 5

const Items = ({ items }: { items: readonly string[] }) => {
  const [isWhole, setIsWhole] = useState(items.length <= fewItems + 1)
  return (
    <>
      <List size="sm">
        {(isWhole ? items : items.slice(0, fewItems)).map((item, index) => (
          // The cloud says the same twice at times.
          <List.Item key={index}>{item}</List.Item>
        ))}
      </List>
      {!isWhole && (
        <Anchor component="button" size="sm" c="inherit" underline="always" onClick={() => setIsWhole(true)}>
          Show all {items.length}
        </Anchor>
      )}
    </>
  )
}

/** What was thrown, in the one shape that errors are shown in. */
export const errorOf = (thrown: unknown): UserFacingError =>
  thrown instanceof ApiError
    ? thrown.error
    : {
        code: 'Sluice:Console:UNREACHABLE',
        message: 'The server is not responding.',
        description: thrown instanceof Error ? thrown.message : String(thrown),
      }
