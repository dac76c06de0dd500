import { type RefObject, useEffect } from 'react'

/** What a form marks as wrong, else the panel that says what is. */
const places = ['[aria-invalid="true"]', '[role="alert"]'] as const

/** Takes the reader to the first fault of a form when the service has refused it. */
export function useFirstFault(form: RefObject<HTMLElement | null>, refusal: unknown): void {
  useEffect(() => {
    if (!refusal) return
    const fault = places.map((place) => form.current?.querySelector<HTMLElement>(place)).find(Boolean)
    fault?.scrollIntoView({ block: 'center' })
    fault?.focus({ preventScroll: true })
  }, [form, refusal])
}
