import { services } from '../src/services.ts'

// Prints the simulated operations by signing name, as input for generate.py.
console.log(
  JSON.stringify(
    Object.fromEntries(Object.entries(services).map(([name, { operations }]) => [name, [...operations.keys()]])),
  ),
)
