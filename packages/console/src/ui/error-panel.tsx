import { Alert, Anchor, Code, List, Stack, Text } from '@mantine/core'
import { ApiError } from '@sluice/client'
import type { UserFacingError } from '@sluice/contract'
import { useState } from 'react'
import { type ErrorLocation, parseErrorLocation } from './forms/error-location.ts'
import { IconAlertTriangle } from './icons.tsx'
import { InReadersTime } from './time.tsx'

type Detail = NonNullable<UserFacingError['details']>[number]

/** Shows an error with its details and actions. */
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

/** Returns whether the details repeat the description, which is the tool's first error. */
const isSaidBelow = ({ description, details = [] }: UserFacingError) =>
  details.some((detail) => parseErrorLocation(detail)?.message === description)

/** Shows the details of an error. */
export const ErrorDetails = ({ details = [] }: { details?: readonly Detail[] | undefined }) =>
  details.map((detail, index) => <Section key={index} detail={detail} />)

/** Links to where the error can be fixed. */
export const ErrorAction = ({ error: { action } }: { error: UserFacingError }) =>
  action && (
    <Anchor size="sm" c="inherit" underline="always" href={action.url} target="_blank" rel="noreferrer">
      {action.label}
    </Anchor>
  )

/** Shows the code and request ID of an error. */
export const ErrorReference = ({ error: { code, requestId } }: { error: UserFacingError }) => (
  <Text size="xs" c="dimmed">
    {code}
    {requestId && ` · request ${requestId}`}
  </Text>
)

const Section = ({ detail }: { detail: Detail }) => {
  const { title, items, object } = detail
  const place = parseErrorLocation(detail)
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

const Place = ({ place: { where, message, snippet, more } }: { place: ErrorLocation }) => (
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

/** Number of items shown at first, so that the rest of the page stays visible. */
const fewItems = 5

const Items = ({ items }: { items: readonly string[] }) => {
  const [isComplete, setIsWhole] = useState(items.length <= fewItems + 1)
  return (
    <>
      <List size="sm">
        {(isComplete ? items : items.slice(0, fewItems)).map((item, index) => (
          // The cloud can repeat a message.
          <List.Item key={index}>{item}</List.Item>
        ))}
      </List>
      {!isComplete && (
        <Anchor component="button" size="sm" c="inherit" underline="always" onClick={() => setIsWhole(true)}>
          Show all {items.length}
        </Anchor>
      )}
    </>
  )
}

/** Converts a thrown value to an error that the page can show. */
export const errorOf = (thrown: unknown): UserFacingError =>
  thrown instanceof ApiError
    ? thrown.error
    : {
        code: 'Sluice:Console:UNREACHABLE',
        message: 'The server is not responding.',
        description: thrown instanceof Error ? thrown.message : String(thrown),
      }
