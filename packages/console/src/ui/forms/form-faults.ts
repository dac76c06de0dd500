import { createContext } from 'react'

/** What the service finds wrong with the fields of the form around, by the path of each in what was sent. */
export const FormFaults = createContext<Readonly<Record<string, string>>>({})
