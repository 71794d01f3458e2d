// "@name" is the theme's colour "name".
const coloured = (value, palette) => {
  if (typeof value === "string") return value[0] === "@" ? palette[value.slice(1)] : value;
  if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map((one) => coloured(one, palette));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, coloured(one, palette)]));
};
